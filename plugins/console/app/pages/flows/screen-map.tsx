import type { TextPosition } from '../../components/editor/editor-props.js';
import { texts } from './editor-texts.js';
import type { MappedScreen } from './flow-records.js';

interface Props {
  readonly screens: readonly MappedScreen[];
  /** The id of the screen that the phone shows. */
  readonly current: string | undefined;
  readonly goTo: (place: TextPosition & { readonly path: string }) => void;
}

/** The screens in columns, by how many routes lead to them from an entry screen, with their routes and components. */
export function ScreenMap({ screens, current, goTo }: Props) {
  if (screens.length === 0) return <p class="quiet">{texts.theFlowHasNoScreens}</p>;
  const depths = depthsOf(screens);
  const columns = [...new Set(depths.values())].sort((a, b) => a - b);
  return (
    <div class="screen-map">
      {columns.map((depth) => (
        <ul key={depth} aria-label={depth === Number.POSITIVE_INFINITY ? texts.screensWithoutARouteTo : texts.step(depth + 1)}>
          {screens
            .filter(({ id }) => depths.get(id) === depth)
            .map((screen) => (
              <li key={screen.id} class={screen.id === current ? 'is-current' : ''}>
                <button type="button" class="button plain" aria-current={screen.id === current} onClick={() => goTo(screen)}>
                  <bdi>{screen.id}</bdi>
                </button>
                {screen.title !== undefined && <small dir="auto">{screen.title}</small>}
                <small>
                  {screen.entry && texts.entry}
                  {screen.terminal && texts.terminal}
                  {screen.routes.length > 0 && (
                    <>
                      <span aria-hidden="true">→ </span>
                      <span class="unseen">{texts.leadsTo} </span>
                      {screen.routes.join(', ')}
                    </>
                  )}
                </small>
                <details>
                  <summary>{texts.componentCount(screen.components.length)}</summary>
                  <ul>
                    {screen.components.map((component) => (
                      <li key={component.path}>
                        <button type="button" class="button plain" onClick={() => goTo(component)}>
                          {component.type}
                          {component.name !== undefined && <bdi> {component.name}</bdi>}
                        </button>
                      </li>
                    ))}
                  </ul>
                </details>
              </li>
            ))}
        </ul>
      ))}
    </div>
  );
}

/** By screen: how many routes lead to it from an entry screen. */
function depthsOf(screens: readonly MappedScreen[]): Map<string, number> {
  const known = new Map(screens.map((screen) => [screen.id, screen]));
  const depths = new Map<string, number>();
  let level = screens.filter(({ entry }) => entry).map(({ id }) => id);
  for (let depth = 0; level.length > 0; depth++) {
    const fresh = level.filter((id) => !depths.has(id) && known.has(id));
    for (const id of fresh) depths.set(id, depth);
    level = fresh.flatMap((id) => known.get(id)!.routes);
  }
  for (const { id } of screens) if (!depths.has(id)) depths.set(id, Number.POSITIVE_INFINITY);
  return depths;
}
