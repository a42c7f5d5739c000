import { Link } from 'wouter-preact';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

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
    <SettingsSection query={query} lacks={texts.listOfPlugins}>
      {({ platform: { plugins, rate_limits: limits } }) => (
        <>
          {failed.map(({ id, message, fix }) => (
            <div key={id} class="callout bad" role="alert">
              <p dir="auto">
                <strong>{message}</strong>
              </p>
              <p dir="auto">{fix}</p>
              <Link href={`/advice/${encodeURIComponent(id)}`}>{texts.showTheAdvice}</Link>
            </div>
          ))}
          <div class="table-scroll">
            <table class="words">
              <caption>{texts.pluginsInLoadOrderEach}</caption>
              <thead>
                <tr>
                  <th scope="col">{texts.plugin}</th>
                  <th scope="col">{texts.needs}</th>
                  <th scope="col">{texts.adds}</th>
                  <th scope="col" class="optional">
                    {texts.options}
                  </th>
                </tr>
              </thead>
              <tbody>
                {plugins.map(({ name, version, needs, options, routes, admin_routes: adminRoutes, events, collections }, at) => (
                  <tr key={name}>
                    <th scope="row">
                      <span class="quiet figure">{at + 1}.</span> {name} <small class="quiet">{version}</small>
                    </th>
                    <td>{needs.length === 0 ? <span class="quiet">{texts.nothing}</span> : needs.join(', ')}</td>
                    <td>
                      {[texts.routes(routes), texts.adminRoutes(adminRoutes), texts.events(events), texts.collections(collections.length)]
                        .filter((one) => one !== '')
                        .join(', ') || <span class="quiet">{texts.channelsAndChecks}</span>}
                    </td>
                    <td class="mono optional">{options.join(', ')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <section aria-labelledby="limits">
            <h2 id="limits">{texts.rateLimits}</h2>
            {limits === null ? (
              <p>{texts.noneASandboxHasNo(<Link href="/settings/switches">{texts.aSwitch}</Link>)}</p>
            ) : (
              <dl class="facts">
                {Object.entries(limits).map(([bucket, calls]) => (
                  <div key={bucket} class="fact">
                    <dt>{bucket}</dt>
                    <dd class="figure">{texts.callsPerMinuteAndNumber(calls)}</dd>
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
