import { Failure, Loading, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';

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

/** Which calls the tokens of a number may make, and how often. */
export function Permissions({ number: { kind } }: { number: NumberRecord }) {
  const { data, error, reload } = useQuery<PermissionList>('/permissions');
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const { calls, limits } = data;
  const allowed = calls.filter(({ numbers }) => numbers.includes(kind)).length;
  return (
    <section class="part" aria-labelledby="permissions">
      <h3 id="permissions">Limits and permissions</h3>
      {limits === null ? (
        <p>Calls are not limited.</p>
      ) : (
        <p>
          Per minute: {limits.general} calls, {limits.text} messages with text and {limits.media} with media. More get 429.
        </p>
      )}
      <details class="more">
        <summary>
          Tokens of a {kind === 'channel' ? 'channel' : `${kind} number`} may make {allowed} of {calls.length} calls
        </summary>
        <p>
          The others get 403 with the code <code>not_supported</code>, and the error says which kind of number to use.
        </p>
        <div class="table-scroll">
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">Call</th>
                {KINDS.map((one) => (
                  <th key={one} scope="col" class={one === kind ? 'is-current' : undefined}>
                    {one}
                    {one === kind && <span class="unseen">, this number</span>}
                  </th>
                ))}
                <th scope="col">Limit</th>
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
                      {numbers.includes(one) ? <Status tone="ok">yes</Status> : <Status tone="bad">403</Status>}
                    </td>
                  ))}
                  <td>{bucket ?? 'by content'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
