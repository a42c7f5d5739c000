import { Boundary } from '../components/boundary.js';
import { lazyPart } from '../components/lazy-part.js';
import { usePluginPages } from './plugin-pages.js';

const PluginFrame = lazyPart(async () => ({ default: (await import('./plugin-frame.js')).PluginFrame }));

/** The panels of plugins beside a number or conversation; nothing if there are none. */
export function PluginPanels({ kind, uuid }: { kind: 'number' | 'conversation'; uuid: string }) {
  const panels = usePluginPages(kind);
  return (
    <>
      {panels.map((page) => (
        <section key={`${page.plugin}/${page.name}`} class="plugin-panel" aria-label={page.title}>
          <h3 dir="auto">{page.title}</h3>
          <Boundary key={uuid}>
            <PluginFrame page={page} subject={{ kind, uuid }} />
          </Boundary>
        </section>
      ))}
    </>
  );
}
