import { CopyText } from '../../components/copy.js';
import { SERVER } from '../../data/address.js';
import { useQuery } from '../../data/query.js';
import type { Platform } from './plugins.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

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
    <SettingsSection query={query} lacks={texts.listOfVersions}>
      {({ platform: { version, node, system } }) => (
        <>
          <dl class="facts">
            <dt>{texts.posthorn}</dt>
            <dd>
              <CopyText text={version} label={texts.theVersionOfPosthorn} />
            </dd>
            <dt>{texts.node}</dt>
            <dd>
              <CopyText text={node} label={texts.theVersionOfNode} /> <span class="quiet">{system}</span>
            </dd>
            <dt>{texts.address}</dt>
            <dd>
              <CopyText text={SERVER.href.replace(/\/$/, '')} label={texts.theAddress} />
            </dd>
            {store && (
              <>
                <dt>{texts.store}</dt>
                <dd>
                  {store.state}
                  {store.damaged && texts.damaged(store.damaged.map(({ file }) => file).join(', '))}
                </dd>
              </>
            )}
            {memory && (
              <>
                <dt>{texts.memory}</dt>
                <dd class="figure">
                  {texts.ofMib(memory.state, Math.round(memory.used_bytes / MEBIBYTE), Math.round(memory.safe_bytes / MEBIBYTE))}
                </dd>
              </>
            )}
          </dl>
          <p>
            <a href={new URL('docs', SERVER).href} target="_blank" rel="noopener noreferrer">
              {texts.referenceOfTheApi}
            </a>
          </p>
        </>
      )}
    </SettingsSection>
  );
}
