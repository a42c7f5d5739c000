import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Draw } from '../components/icons.js';
import { useShortcuts } from '../data/shortcuts.js';
import { pathOf, usePluginPages } from '../frame/plugin-pages.js';
import { adviceCount } from './advice-count.js';
import { pages } from './pages.js';
import { texts } from './texts.js';

/** The menu of pages. On narrow pages a button opens it. */
export function Navigation() {
  const [location, navigate] = useLocation();
  const isOpen = useSignal(false);
  const contributed = usePluginPages('menu');
  useEffect(() => {
    isOpen.value = false;
  }, [location]);
  useShortcuts(Object.fromEntries(pages.map(({ key, path }) => [`g ${key}`, () => navigate(path)])));
  const isCurrent = (path: string): boolean => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <nav aria-label={texts.pages} class={isOpen.value ? 'is-open' : ''}>
      <button
        type="button"
        class="nav-button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Draw name="menu" />
        <span>
          {[...pages, ...contributed.map((page) => ({ path: pathOf(page), title: page.title }))].find(({ path }) => isCurrent(path))
            ?.title ?? texts.pages}
        </span>
      </button>
      <ul>
        {pages.map(({ path, title, icon, key, group }, at) => (
          <li key={path} class={group !== pages[at - 1]?.group ? 'begins' : undefined} data-group={group}>
            <Link href={path} class="nav-link" aria-current={isCurrent(path) ? 'page' : undefined} title={`g ${key}`}>
              <Draw name={icon} />
              <span>{title}</span>
              {path === '/advice' && adviceCount.value > 0 && (
                <span class="count">
                  {adviceCount.value}
                  <span class="unseen"> {texts.open}</span>
                </span>
              )}
            </Link>
          </li>
        ))}
        {contributed.map((page) => (
          <li key={pathOf(page)}>
            <Link href={pathOf(page)} class="nav-link" aria-current={location === pathOf(page) ? 'page' : undefined} title={page.plugin}>
              <Draw name="plugin" />
              <span dir="auto">{page.title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
