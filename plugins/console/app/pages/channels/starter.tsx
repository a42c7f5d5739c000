import { useSearchParams } from 'wouter-preact';
import { Snippet } from '../../components/snippet.js';
import { Loading } from '../../components/status.js';
import { SERVER } from '../../data/address.js';
import { useQuery } from '../../data/query.js';
import type { ShownChannel } from '../../data/records.js';
import { type Language, languages, starterOf } from './starters.js';
import { texts } from './texts.js';

/** A short connector to copy, with the addresses of this channel. */
export function Starter({ channel: { number, webhooks } }: { channel: ShownChannel }) {
  const [search, setSearch] = useSearchParams();
  const given = search.get('language');
  const language = (Object.keys(languages) as Language[]).find((one) => one === given) ?? 'typescript';
  // A platform may name the service differently.
  const platform = useQuery<{ platform: { readonly signature_header: string } }>('/platform');
  const { file, run } = languages[language];
  if (!platform.data && !platform.error) return <Loading />;
  const text = starterOf(language, {
    api: SERVER.href.replace(/\/$/, ''),
    number: number.uuid,
    endpoint: webhooks[0]?.url ?? 'http://127.0.0.1:3000/',
    header: platform.data?.platform.signature_header ?? DEFAULT_HEADER,
  });
  return (
    <div class="channel-part">
      <p>
        {texts.verifiesSignaturesResponds(file, run)}
        {language === 'typescript' && <> {texts.itIsValidJavascriptToo()}</>}
      </p>
      <div class="field starter-language">
        <label for="language">{texts.language}</label>
        <select
          id="language"
          class="select"
          value={language}
          onChange={({ currentTarget: { value } }) =>
            setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), language: value }), { replace: true })
          }
        >
          {Object.entries(languages).map(([id, { title }]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Snippet text={text} label={texts.theConnector} />
    </div>
  );
}

const DEFAULT_HEADER = 'X-Svc-Hook-Signature';
