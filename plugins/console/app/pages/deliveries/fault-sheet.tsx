import { useId, useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { wordsOfEffect } from '../../components/fault-texts.js';
import { announce } from '../../data/announce.js';
import { texts } from './texts.js';

/** Kinds of faults of deliveries. */
const KINDS = [
  ...['status', 'timeout', 'refuse', 'reset', 'delay', 'dns'],
  ...['half_body', 'bad_json', 'wrong_signature', 'stale_signature', 'duplicate'],
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
          <label for={`${id}-kind`}>{texts.theReceiver}</label>
          <select id={`${id}-kind`} class="select" data-first value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
            {KINDS.map((value) => (
              <option key={value} value={value}>
                {wordsOfEffect(value)}
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
