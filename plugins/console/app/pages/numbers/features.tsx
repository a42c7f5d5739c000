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
import { texts } from './texts.js';

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
  const path = number.kind === 'channel' || number.type !== number.kind ? undefined : `/network/numbers/${number.uuid}/policy`;
  const { data, error, reload: reloadPolicy } = useQuery<{ policy: Policy }>(path, ['state.']);
  const reactions = number.reactions ?? false;
  return (
    <section class="part" aria-labelledby="features">
      <h3 id="features">{texts.features}</h3>
      <ul class="toggles">
        <Toggle
          label={texts.reactions}
          note={texts.webhooksReceiveReactionsOf}
          isOn={reactions}
          action={{ method: 'PATCH', path: `/numbers/${number.uuid}`, payload: { reactions: !reactions } }}
          done={reload}
        />
        {data && <PolicyToggles policy={data.policy} path={path!} done={reloadPolicy} />}
      </ul>
      {path === undefined && <p class="quiet">{texts.theConnectorOfAChannel(isChannel(number))}</p>}
      {/* 404: the plugin is not loaded; 409: another driver serves this number. */}
      {error && ![404, 409].includes(error.status) && <Failure error={error} retry={reloadPolicy} />}
      {data && (
        <details class="more">
          <summary>{texts.delaysOfTheStatuses}</summary>
          <Delays key={JSON.stringify(data.policy)} policy={data.policy} path={path!} done={reloadPolicy} />
        </details>
      )}
      {data && (
        <ActButton
          look="button outlined"
          action={{ method: 'DELETE', path: path! }}
          announcement={texts.theNetworkPolicyWasReset}
          confirm={{
            title: texts.resetTheNetworkPolicy,
            text: texts.delaysRulesAndSwitches,
            verb: texts.resetThePolicy,
          }}
          done={reloadPolicy}
        >
          {texts.resetTheNetworkPolicy2}
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
        label={texts.automaticStatuses}
        note={mode === 'automatic' ? texts.theNetworkReportsSentAnd : texts.youReportTheStatusesIn}
        isOn={mode === 'automatic'}
        action={change({ mode: mode === 'automatic' ? 'manual' : 'automatic' })}
        done={done}
      />
      <Toggle
        label={texts.readReceipts}
        note={texts.theNetworkAlsoReportsRead}
        isOn={readAfter !== null}
        action={change({ read_after_ms: readAfter === null ? READ_AFTER_MS : null })}
        done={done}
      />
      <Toggle
        label={texts.statusesInReverseOrder}
        note={texts.testsClientsThatExpectAn}
        isOn={order === 'reversed'}
        action={change({ order: order === 'real' ? 'reversed' : 'real' })}
        done={done}
      />
      <Toggle
        label={texts.windowOfHours(window ?? WINDOW_HOURS)}
        note={texts.contactsWhoHaveNotWritten}
        isOn={window !== null}
        action={change({ window_hours: window === null ? WINDOW_HOURS : null })}
        done={done}
      />
      {rules.length > 0 && (
        <li>
          {texts.n1RuleRefusesFailsOr(rules.length)}
          <ActButton
            look="button outlined"
            action={change({ rules: [] })}
            confirm={{ title: texts.askRemoveRules, text: texts.whatRemovingRulesDoes, verb: texts.removeTheRules }}
            done={done}
          >
            {texts.remove}
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
              announce(texts.labelIsonOffOn(label, isOn));
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
    <ActForm label={texts.delays} verb={texts.save} action={{ method: 'PATCH', path, payload }} done={done}>
      <Field label={texts.sentAfterInMs} type="number" value={sent} set={setSent} />
      <Field label={texts.deliveredAfterInMs} type="number" value={delivered} set={setDelivered} />
      <Field label={texts.readAfterInMs} type="number" value={read} set={setRead} required={false} note={texts.emptyNoReadReceipts} />
    </ActForm>
  );
}
