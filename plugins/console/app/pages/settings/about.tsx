import { CopyText } from '../../components/copy.js';
import { SERVER } from '../../data/address.js';
import { useQuery } from '../../data/query.js';
import type { Platform } from './plugins.js';
import { SettingsSection } from './settings-section.js';

interface Memory {
  readonly memory: { readonly state: string; readonly used_bytes: number; readonly safe_bytes: number };
}

const MEBIBYTE = 2 ** 20;

/** Versions, addresses and memory. */
export function About() {
  const query = useQuery<Platform>('/platform', ['state.']);
  const store = useQuery<{ store: { state: string; damaged?: readonly { file: string }[] } }>('/store', ['store.']).data?.store;
  const memory = useQuery<Memory>('/memory', ['memory.']).data?.memory;
  return (
    <SettingsSection query={query} lacks="list of versions">
      {({ platform: { version, node, system } }) => (
        <>
          <dl class="facts">
            <dt>Posthorn</dt>
            <dd>
              <CopyText text={version} label="the version of Posthorn" />
            </dd>
            <dt>Node</dt>
            <dd>
              <CopyText text={node} label="the version of Node" /> <span class="quiet">{system}</span>
            </dd>
            <dt>Address</dt>
            <dd>
              <CopyText text={SERVER.href.replace(/\/$/, '')} label="the address" />
            </dd>
            {store && (
              <>
                <dt>Store</dt>
                <dd>
                  {store.state}
                  {store.damaged && `, damaged: ${store.damaged.map(({ file }) => file).join(', ')}`}
                </dd>
              </>
            )}
            {memory && (
              <>
                <dt>Memory</dt>
                <dd class="figure">
                  {memory.state}: {Math.round(memory.used_bytes / MEBIBYTE)} of {Math.round(memory.safe_bytes / MEBIBYTE)} MiB
                </dd>
              </>
            )}
          </dl>
          <p>
            <a href={new URL('docs', SERVER).href} target="_blank" rel="noopener noreferrer">
              Reference of the API
            </a>
          </p>
        </>
      )}
    </SettingsSection>
  );
}
