import { Failure, Loading, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

interface PermissionList {
  readonly calls: readonly {
    readonly method: string;
    readonly path: string;
    readonly summary: string;
    readonly numbers: readonly NumberRecord['kind'][];
    readonly bucket?: 'general' | 'text' | 'media' | 'none';
  }[];
  readonly limits: Readonly<Record<'general' | 'text' | 'media', number>> | null;
}

const KINDS = ['network', 'sandbox', 'channel'] as const;
const BUCKETS = {
  general: texts.ofCalls,
  text: texts.ofMessagesWithText,
  media: texts.ofMessagesWithMedia,
  none: texts.notLimited,
} as const;

/** Which calls the tokens of a number may make, and how often. */
export function Permissions({ number: { kind } }: { number: NumberRecord }) {
  const { data, error, reload } = useQuery<PermissionList>('/permissions');
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const { calls, limits } = data;
  const allowed = calls.filter(({ numbers }) => numbers.includes(kind)).length;
  return (
    <section class="part" aria-labelledby="permissions">
      <h3 id="permissions">{texts.limitsAndPermissions}</h3>
      {limits === null ? (
        <p>{texts.callsAreNotLimited}</p>
      ) : (
        <p>{texts.perMinuteCallsMessagesWith(limits.general, limits.text, limits.media)}</p>
      )}
      <details class="more">
        <summary>{texts.tokensOfAChannelChannel(kind, allowed, calls.length)}</summary>
        <p>{texts.theOthersGet403With()}</p>
        <div class="table-scroll">
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">{texts.call}</th>
                {KINDS.map((one) => (
                  <th key={one} scope="col" class={one === kind ? 'is-current' : undefined}>
                    {one}
                    {one === kind && <span class="unseen">{texts.thisNumber}</span>}
                  </th>
                ))}
                <th scope="col">{texts.limit}</th>
              </tr>
            </thead>
            <tbody>
              {calls.map(({ method, path, summary, numbers, bucket }) => (
                <tr key={`${method} ${path}`}>
                  <th scope="row" title={summary}>
                    <code>
                      {method} {path}
                    </code>
                  </th>
                  {KINDS.map((one) => (
                    <td key={one} class={one === kind ? 'is-current' : undefined}>
                      {numbers.includes(one) ? <Status tone="ok">{texts.yes}</Status> : <Status tone="neutral">{texts.no}</Status>}
                    </td>
                  ))}
                  <td>{bucket ? BUCKETS[bucket] : texts.byContent}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
