package dev.tenure.local;

import java.util.Locale;
import java.util.Set;

/**
 * File systems that two kernels may have mounted at once. There a boot id says nothing about who is alive, and no
 * notification crosses over, so two machines would have two leaders. What is not named here is taken for a disk of this
 * machine; {@link BootRecovery} has a second line for those that slip through.
 */
final class FileSystemTypes {
    private static final Set<String> SHARED = Set.of(
            ("9p acfs afs autofs beegfs ceph cifs coda davfs drvfs fhgfs fuse gfs gfs2 glusterfs gpfs lustre ncp "
                            + "ncpfs nfs nfs3 nfs4 ocfs2 orangefs osxfs panfs prl_fs pvfs2 smb2 smb3 smbfs vboxsf virtiofs vmhgfs webdav")
                    .split(" "));

    private FileSystemTypes() {}

    static boolean isShared(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        // A file system in user space can be anything, mostly a remote one. "fuseblk" is not: it is on a block device.
        return SHARED.contains(name) || name.startsWith("fuse.") || name.startsWith("fakeowner");
    }
}
