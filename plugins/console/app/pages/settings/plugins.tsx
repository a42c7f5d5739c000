import { Link } from 'wouter-preact';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';

export interface Platform {
  readonly platform: {
    readonly version: string;
    readonly node: string;
    readonly system: string;
    readonly plugins: readonly {
      readonly name: string;
      readonly version: string;
      readonly needs: readonly string[];
      readonly options: readonly string[];
      readonly routes: number;
      readonly admin_routes: number;
      readonly events: number;
      readonly collections: readonly string[];
    }[];
    readonly rate_limits: { readonly general: number; readonly text: number; readonly media: number } | null;
  };
}

interface Advice {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly fix: string;
}

/** The plugins in load order, those that could not be loaded, and the rate limits of the routes. */
export function Plugins() {
  const query = useQuery<Platform>('/platform', ['state.']);
  const failed = (useQuery<{ advice: readonly Advice[] }>('/advice', ['advice.', 'state.']).data?.advice ?? []).filter(
    ({ name }) => name === 'source_not_loaded',
  );
  return (
    <SettingsSection query={query} lacks="list of plugins">
      {({ platform: { plugins, rate_limits: limits } }) => (
        <>
          {failed.map(({ id, message, fix }) => (
            <div key={id} class="callout bad" role="alert">
              <p dir="auto">
                <strong>{message}</strong>
              </p>
              <p dir="auto">{fix}</p>
              <Link href={`/advice/${encodeURIComponent(id)}`}>Show the advice</Link>
            </div>
          ))}
          <div class="table-scroll">
            <table class="words">
              <caption>Plugins in load order: each is after those that it needs</caption>
              <thead>
                <tr>
                  <th scope="col">Plugin</th>
                  <th scope="col">Needs</th>
                  <th scope="col">Adds</th>
                  <th scope="col" class="optional">
                    Options
                  </th>
                </tr>
              </thead>
              <tbody>
                {plugins.map(({ name, version, needs, options, routes, admin_routes: adminRoutes, events, collections }, at) => (
                  <tr key={name}>
                    <th scope="row">
                      <span class="quiet figure">{at + 1}.</span> {name} <small class="quiet">{version}</small>
                    </th>
                    <td>{needs.length === 0 ? <span class="quiet">nothing</span> : needs.join(', ')}</td>
                    <td>
                      {[
                        count(routes, 'route'),
                        count(adminRoutes, 'admin route'),
                        count(events, 'event'),
                        count(collections.length, 'collection'),
                      ]
                        .filter((one) => one !== '')
                        .join(', ') || <span class="quiet">channels and checks</span>}
                    </td>
                    <td class="mono optional">{options.join(', ')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <section aria-labelledby="limits">
            <h2 id="limits">Rate limits</h2>
            {limits === null ? (
              <p>
                None. A sandbox has no limits, so that tests are fast; <Link href="/settings/switches">a switch</Link> turns them on.
              </p>
            ) : (
              <dl class="facts">
                {Object.entries(limits).map(([bucket, calls]) => (
                  <div key={bucket} class="fact">
                    <dt>{bucket}</dt>
                    <dd class="figure">{calls} calls per minute and number</dd>
                  </div>
                ))}
              </dl>
            )}
          </section>
        </>
      )}
    </SettingsSection>
  );
}

const count = (n: number, noun: string): string => (n === 0 ? '' : `${n} ${noun}${n === 1 ? '' : 's'}`);
