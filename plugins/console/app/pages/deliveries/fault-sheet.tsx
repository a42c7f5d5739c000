import { useId, useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { announce } from '../../data/announce.js';

/** Faults of deliveries, by their kinds. */
const effects: readonly (readonly [kind: string, label: string])[] = [
  ['status', 'responds with a status'],
  ['timeout', 'does not respond'],
  ['refuse', 'refuses the connection'],
  ['reset', 'resets the connection'],
  ['delay', 'responds late'],
  ['dns', 'host name does not exist'],
  ['half_body', 'response ends in its middle'],
  ['bad_json', 'response is cut-off JSON'],
  ['wrong_signature', 'request has a wrong signature'],
  ['stale_signature', 'request has the signature of another body'],
  ['duplicate', 'request is sent twice'],
];

/** Adds a fault rule for the endpoint of a webhook. */
export function FaultSheet({ webhook, name, close }: { webhook: string; name: string; close: () => void }) {
  const id = useId();
  const [kind, setKind] = useState('status');
  const [status, setStatus] = useState('500');
  const [delay, setDelay] = useState('6000');
  const [times, setTimes] = useState('2');
  const effect = {
    kind,
    ...(kind === 'status' && { status: Number(status) }),
    ...(kind === 'delay' && { delay_ms: Number(delay) }),
    ...(kind === 'duplicate' && { copies: 1 }),
  };
  const flags = kind === 'status' ? `--status ${status}` : kind === 'delay' ? `--delay ${delay}ms` : `--effect ${kind}`;
  const action: Action = {
    method: 'POST',
    path: '/faults',
    payload: { where: 'deliveries', match: { webhook }, effect, times: Number(times) },
    command: `posthorn fault add --on deliveries --match webhook=${webhook} ${flags} --times ${times}`,
  };
  return (
    <Sheet title={`Add a fault for ${name}`} look="drawer" close={close}>
      <ActForm
        label="Add a fault"
        action={action}
        verb="Add the fault"
        done={() => {
          announce('The fault was added');
          close();
        }}
      >
        <div class="field">
          <label for={`${id}-kind`}>The endpoint</label>
          <select id={`${id}-kind`} class="select" data-first value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
            {effects.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <small>The platform pretends this for the next attempts. Your program stays as it is.</small>
        </div>
        {kind === 'status' && (
          <Field
            label="Status"
            type="number"
            value={status}
            set={setStatus}
            note="4XX and 502 cancel the retries; other failures are retried."
          />
        )}
        {kind === 'delay' && (
          <Field label="Milliseconds" type="number" value={delay} set={setDelay} note="An attempt ends after 5,000 ms." />
        )}
        <Field label="Times" type="number" value={times} set={setTimes} note="How many attempts fail." />
      </ActForm>
    </Sheet>
  );
}
