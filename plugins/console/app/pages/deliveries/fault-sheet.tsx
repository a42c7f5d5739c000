import { useId, useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { announce } from '../../data/announce.js';
import { texts } from './texts.js';

/** Faults of deliveries, by their kinds. */
const effects: readonly (readonly [kind: string, label: string])[] = [
  ['status', texts.respondsWithAStatus],
  ['timeout', texts.doesNotRespond],
  ['refuse', texts.refusesTheConnection],
  ['reset', texts.resetsTheConnection],
  ['delay', texts.respondsLate],
  ['dns', texts.hostNameDoesNotExist],
  ['half_body', texts.responseEndsInItsMiddle],
  ['bad_json', texts.responseIsCutOffJson],
  ['wrong_signature', texts.requestHasAWrongSignature],
  ['stale_signature', texts.requestHasOtherSignature],
  ['duplicate', texts.requestIsSentTwice],
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
    <Sheet title={texts.addAFaultFor(name)} look="drawer" close={close}>
      <ActForm
        label={texts.addAFault}
        action={action}
        verb={texts.addTheFault}
        done={() => {
          announce(texts.theFaultWasAdded);
          close();
        }}
      >
        <div class="field">
          <label for={`${id}-kind`}>{texts.theEndpoint}</label>
          <select id={`${id}-kind`} class="select" data-first value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
            {effects.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <small>{texts.whatFaultsDo}</small>
        </div>
        {kind === 'status' && <Field label={texts.status} type="number" value={status} set={setStatus} note={texts.whichStatusesCancel} />}
        {kind === 'delay' && <Field label={texts.milliseconds} type="number" value={delay} set={setDelay} note={texts.attemptsEnd} />}
        <Field label={texts.times} type="number" value={times} set={setTimes} note={texts.howManyFail} />
      </ActForm>
    </Sheet>
  );
}
