# How a JVM becomes the tenure command. Sourced by ./tenure of a checkout and by bin/tenure of a distribution, which set
#
#   jars       the folder that has lib/, the jars that all commands need, and beside it a folder for each store's client
#   classpath  the jars of lib/
#
# shellcheck shell=sh disable=SC2154

fail() { # exit code, sentences
    code=$1
    shift
    printf 'tenure: %s\n' "$@" >&2
    exit "$code"
}

find_java() { # what to do if there is none
    if [ -n "${JAVA_HOME:-}" ]; then
        java=$JAVA_HOME/bin/java
        [ -x "$java" ] || fail 69 "JAVA_HOME is $JAVA_HOME, and there is no bin/java in it"
    else
        java=$(command -v java) || fail 69 "no java found: $1, or set JAVA_HOME"
    fi
}

demand_java_17() {
    version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p')
    case $version in
        '') fail 69 "$java does not run" ;;
        1.* | 9 | 1[0-6]) fail 69 "$java is Java $version, and Tenure needs 17 or newer: set JAVA_HOME" ;;
    esac
}

# A path as a part of a file's name.
key() { # path
    IFS=/
    # shellcheck disable=SC2086
    (set -f; set -- $1; IFS=_; printf '%s' "$*")
    unset IFS
}

# Names the archive of classes of this JVM in this folder. Is it there, for this user to read?
has_archive() { # folder, more of its key
    archive=$1/classes$(key "$java${2:-}").jsa
    # shellcheck disable=SC3013  # -nt: dash, bash, busybox and ksh have it
    [ -r "$archive" ] && ! [ "$java" -nt "$archive" ]
}

# Writes it if it is not.
use_archive() { # folder, more of its key
    has_archive "$@" || prepare
}

# The first run of each JVM leaves an archive of the classes that `tenure run` loads.
prepare() {
    demand_java_17
    scratch=$(mktemp -d) && mkdir "$scratch/state" || return 0
    limit=
    if command -v timeout >/dev/null 2>&1; then limit='timeout 20'; fi
    $limit "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ArchiveClassesAtExit="$scratch/classes.jsa" \
        -cp "$classpath" dev.tenure.cli.Main \
        run --election warm-up --url "local:$scratch/state" -- true </dev/null >/dev/null 2>&1
    # An empty archive says "tried, in vain": the JVM then does without.
    [ -f "$scratch/classes.jsa" ] || : >"$scratch/classes.jsa"
    cp "$scratch/classes.jsa" "$archive.$$" 2>/dev/null && mv "$archive.$$" "$archive"
    rm -rf "$scratch"
}

# A client of a store has many jars, and all of them are opened when the store is looked for. So it is on the class path only if
# its URL is given, before or without the -- of `run`. Where that cannot be told, all are. The archive knows lib/ and goes first.
add_store() { # folder
    [ -d "$jars/$1" ] || fail 69 "the client of this store is not installed: there is no folder $jars/$1"
    classpath=$classpath:$jars/$1/*
}

add_stores() { # words of the command line
    for word in "${TENURE_URL:-}" "$@"; do
        case ${word#--*=} in
            --) return ;;
            local:* | peers:*) ;;
            etcd:*) add_store etcd ;;
            zk:* | zookeeper:*) add_store zookeeper ;;
            consul:*) add_store consul ;;
            redis:*\?*tokens=* | rediss:*\?*tokens=* | redlock:*) for folder in redis sql; do add_store "$folder"; done ;;
            redis:* | rediss:*) add_store redis ;;
            kubernetes:*) add_store kubernetes ;;
            jdbc:* | postgres:* | postgresql:* | postgres+advisory:* | postgresql+advisory:*) add_store sql ;;
            -V | --version | version | *:*)
                for folder in etcd zookeeper consul redis kubernetes sql; do
                    [ ! -d "$jars/$folder" ] || add_store "$folder"
                done
                ;;
        esac
    done
}

become_jvm() { # words of the command line
    add_stores "$@"

    share=-Xshare:auto
    [ -s "$archive" ] && share="-XX:SharedArchiveFile=$archive"
    case ${1:-} in
        sim | lab) set -- -XX:+UseParallelGC "$share" -cp "$classpath" dev.tenure.cli.Main "$@" ;;       # runs long
        *) set -- -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "$share" -cp "$classpath" dev.tenure.cli.Main "$@" ;; # starts fast
    esac
    # Without -Xlog:disable a JVM that was upgraded in place would complain about its old archive, on standard output.
    # Standard output is the command's that `tenure run` runs: a thread dump (SIGQUIT, Ctrl-\) goes to standard error.
    # shellcheck disable=SC2086
    exec "$java" -Xlog:disable -XX:+DisplayVMOutputToStderr -Xshare:auto ${TENURE_JAVA_OPTS:-} "$@"
}
