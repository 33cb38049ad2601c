import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// build/site has laid out the pages here; see there.
const pages = join(import.meta.dirname, '..', 'pages')

const title = file =>
  /^# (.*)$/m.exec(readFileSync(join(pages, file), 'utf8'))[1].replaceAll('`', '')

const page = file => ({ text: title(file), link: '/' + file.replace(/\.md$/, '') })

const folder = name =>
  readdirSync(join(pages, name))
    .filter(file => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map(file => page(`${name}/${file}`))

const group = (text, items, collapsed = false) => ({ text, items, collapsed })

export default {
  title: 'Tenure',
  description: 'Leader election for the JVM, with a fence at the resource',
  lang: 'en',
  srcDir: pages,
  outDir: join(import.meta.dirname, '..', '..', 'target', 'site'),
  cacheDir: join(import.meta.dirname, '..', 'node_modules', '.cache'),
  cleanUrls: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'Choosing', link: '/choosing' },
      { text: 'Command line', link: '/cli' },
      { text: 'Javadoc', link: '/javadoc/index.html', target: '_blank' },
    ],
    sidebar: [
      group('Start here', [
        { text: 'Tenure', link: '/' },
        ...['guide.md', 'choosing.md', 'leader-election.md', 'glossary.md', 'install.md'].map(page),
      ]),
      group('Stores', [...folder('backends'), page('options.md'), page('new-backend.md')]),
      group('Use', [
        ...['fencing.md', 'spring.md'].map(page),
        ...folder('patterns'),
        ...['testing.md', 'observability.md', 'cli.md', 'operations.md'].map(page),
      ]),
      group('Background', [
        ...['architecture.md', 'algorithms.md', 'proof.md', 'figures.md', 'startup.md', 'compared.md'].map(page),
        ...['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map(page),
      ], true),
      group('Decisions', [{ text: 'Index', link: '/adr/' }, ...folder('adr')], true),
    ],
  },
}
