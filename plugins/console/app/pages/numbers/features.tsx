import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ActButton, ActError, ActForm, Field, useAct } from '../../components/act.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { Failure } from '../../components/status.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { isChannel } from '../inbox/contact-messages.js';

const READ_AFTER_MS = 1_000;
const WINDOW_HOURS = 24;

interface Policy {
  readonly mode: 'automatic' | 'manual';
  readonly sent_after_ms: number;
  readonly delivered_after_ms: number;
  readonly read_after_ms: number | null;
  readonly order: 'real' | 'reversed';
  readonly window_hours: number | null;
  readonly rules: readonly { readonly outcome: string; readonly times?: number }[];
}

/** Switches reactions of a number, and the policy by which the simulated network treats its messages. */
export function Features({ number, reload }: { number: NumberRecord; reload: () => void }) {
  const path = number.kind === 'channel' ? undefined : `/network/numbers/${number.uuid}/policy`;
  const { data, error, reload: reloadPolicy } = useQuery<{ policy: Policy }>(path, ['state.']);
  const reactions = number.reactions ?? false;
  return (
    <section class="part" aria-labelledby="features">
      <h3 id="features">Features</h3>
      <ul class="toggles">
        <Toggle
          label="Reactions"
          note="Webhooks receive reactions of contacts"
          isOn={reactions}
          action={{ method: 'PATCH', path: `/numbers/${number.uuid}`, payload: { reactions: !reactions } }}
          done={reload}
        />
        {data && <PolicyToggles policy={data.policy} path={path!} done={reloadPolicy} />}
      </ul>
      {path === undefined && <p class="quiet">{isChannel(number) ? 'The connector of a channel' : 'The service'} reports its statuses.</p>}
      {/* 404: the plugin is not loaded; 409: another driver serves this number. */}
      {error && ![404, 409].includes(error.status) && <Failure error={error} retry={reloadPolicy} />}
      {data && (
        <details class="more">
          <summary>Delays of the statuses</summary>
          <Delays key={JSON.stringify(data.policy)} policy={data.policy} path={path!} done={reloadPolicy} />
        </details>
      )}
      {data && (
        <ActButton
          look="button outlined"
          action={{ method: 'DELETE', path: path! }}
          announcement="The network policy was reset"
          confirm={{
            title: 'Reset the network policy?',
            text: 'Delays, rules and switches become those of a new number.',
            verb: 'Reset the policy',
          }}
          done={reloadPolicy}
        >
          Reset the network policy
        </ActButton>
      )}
    </section>
  );
}

function PolicyToggles({ policy, path, done }: { policy: Policy; path: string; done: () => void }) {
  const change = (payload: Partial<Policy>): Action => ({ method: 'PATCH', path, payload });
  const { mode, read_after_ms: readAfter, order, window_hours: window, rules } = policy;
  return (
    <>
      <Toggle
        label="Automatic statuses"
        note={mode === 'automatic' ? 'The network reports sent and delivered' : 'You report the statuses, in the Inbox or with a call'}
        isOn={mode === 'automatic'}
        action={change({ mode: mode === 'automatic' ? 'manual' : 'automatic' })}
        done={done}
      />
      <Toggle
        label="Read receipts"
        note="The network also reports read"
        isOn={readAfter !== null}
        action={change({ read_after_ms: readAfter === null ? READ_AFTER_MS : null })}
        done={done}
      />
      <Toggle
        label="Statuses in reverse order"
        note="Tests clients that expect an order"
        isOn={order === 'reversed'}
        action={change({ order: order === 'real' ? 'reversed' : 'real' })}
        done={done}
      />
      <Toggle
        label={`Window of ${window ?? WINDOW_HOURS} hours`}
        note="Contacts who have not written within it receive templates only"
        isOn={window !== null}
        action={change({ window_hours: window === null ? WINDOW_HOURS : null })}
        done={done}
      />
      {rules.length > 0 && (
        <li>
          {rules.length === 1 ? '1 rule refuses, fails or holds' : `${rules.length} rules refuse, fail or hold`} messages
          <ActButton look="button outlined" action={change({ rules: [] })} done={done}>
            Remove
          </ActButton>
        </li>
      )}
    </>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly note: ComponentChildren;
  readonly isOn: boolean;
  /** Changes the setting to its other value. */
  readonly action: Action;
  readonly done: () => void;
}

function Toggle({ label, note, isOn, action, done }: ToggleProps) {
  const id = useId();
  const { isBusy, error, run } = useAct();
  return (
    <li>
      <label class="toggle">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-checked={isOn}
          {...controlOf(action, isBusy)}
          aria-describedby={id}
          onChange={({ currentTarget }) => {
            // Shows the value of the server until the server has confirmed the change.
            currentTarget.checked = isOn;
            void run(action).then((result) => {
              if (result === undefined) return;
              announce(`${label} ${isOn ? 'off' : 'on'}`);
              done();
            });
          }}
        />
        <span>
          {label}
          <small id={id} class="quiet">
            {note}
          </small>
        </span>
      </label>
      <CopyAs action={action} />
      <ActError error={error} />
    </li>
  );
}

function Delays({ policy, path, done }: { policy: Policy; path: string; done: () => void }) {
  const [sent, setSent] = useState(String(policy.sent_after_ms));
  const [delivered, setDelivered] = useState(String(policy.delivered_after_ms));
  const [read, setRead] = useState(policy.read_after_ms === null ? '' : String(policy.read_after_ms));
  const payload = {
    sent_after_ms: Number(sent),
    delivered_after_ms: Number(delivered),
    read_after_ms: read === '' ? null : Number(read),
  };
  return (
    <ActForm label="Delays" verb="Save" action={{ method: 'PATCH', path, payload }} done={done}>
      <Field label="Sent after, in ms" type="number" value={sent} set={setSent} />
      <Field label="Delivered after, in ms" type="number" value={delivered} set={setDelivered} />
      <Field label="Read after, in ms" type="number" value={read} set={setRead} required={false} note="Empty: no read receipts" />
    </ActForm>
  );
}
