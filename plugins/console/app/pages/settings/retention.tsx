import { useState } from 'preact/hooks';
import { ActButton, ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { quoted } from '../../components/shell-words.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';

interface KeptNumber {
  readonly number: string;
  readonly name: string;
  readonly account: string | null;
  readonly kept_days: number | null;
  readonly kept_bytes: number | null;
  readonly kept_bytes_of: 'number' | 'account' | 'platform' | null;
  readonly on_hold: boolean;
  readonly messages: number | null;
  readonly bytes: number | null;
  readonly oldest: string | null;
  readonly next: { readonly at: string; readonly reason: 'age' | 'bytes'; readonly messages: number; readonly bytes: number } | null;
}

interface Retained {
  readonly numbers: readonly KeptNumber[];
  readonly accounts: readonly { readonly account: string; readonly hold?: { readonly reason: string; readonly since: string } }[];
}

const ON = ['account.', 'number.', 'messages.', 'state.'];
const counts = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const sized = (bytes: number): string => {
  const steps = bytes < 2 ** 20 ? 1 : bytes < 2 ** 30 ? 2 : 3;
  return `${counts.format(bytes / 1024 ** steps)} ${['', 'KiB', 'MiB', 'GiB'][steps]}`;
};
const messagesOf = (count: number, bytes: number): string =>
  `${counts.format(count)} ${count === 1 ? 'message' : 'messages'}${count === 0 ? '' : `, ${sized(bytes)}`}`;

const hold = (account: string, reason: string | null): Action => ({
  method: 'PATCH',
  path: '/accounts',
  payload: { account, hold: reason === null ? null : { reason } },
  command:
    reason === null
      ? `posthorn retention release ${quoted(account)}`
      : `posthorn retention hold ${quoted(account)} --reason ${quoted(reason)}`,
});

/** How long messages are kept, what goes next, and the accounts on hold. */
export function Retention() {
  const query = useQuery<Retained>('/retention', ON);
  return (
    <SettingsSection query={query} lacks="retention of messages">
      {({ numbers, accounts }) => (
        <>
          <p>
            Messages are kept until the limits of their number, its account or the platform. <code>{POSTHORN} retention set</code> changes
            those of a number or an account. Messages are counted when they are an hour old.
          </p>
          {numbers.length === 0 ? <p class="quiet">There is no number yet.</p> : <Numbers numbers={numbers} />}
          <h2>Accounts on hold</h2>
          <p>Nothing of an account on hold expires: messages, deliveries, media, sessions.</p>
          <Holds held={accounts.filter((one) => one.hold)} reload={query.reload} />
          <NewHold reload={query.reload} />
        </>
      )}
    </SettingsSection>
  );
}

const Numbers = ({ numbers }: { numbers: readonly KeptNumber[] }) => (
  <div class="table-scroll">
    <table class="words kept">
      <thead>
        <tr>
          <th scope="col">Number</th>
          <th scope="col">Account</th>
          <th scope="col">Kept for</th>
          <th scope="col">Kept now</th>
          <th scope="col">Goes next</th>
        </tr>
      </thead>
      <tbody>
        {numbers.map(({ number, name, account, on_hold: isHeld, messages, bytes, next, ...limits }) => (
          <tr key={number}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td>{account === null ? <span class="quiet">none</span> : <bdi>{account}</bdi>}</td>
            <td>{limitOf(limits)}</td>
            <td class="figure">
              {messages === null || bytes === null ? <span class="quiet">not counted</span> : messagesOf(messages, bytes)}
            </td>
            <td class="figure">
              {isHeld ? (
                <Status tone="warn">on hold</Status>
              ) : next ? (
                <>
                  {next.messages > 0 && `${messagesOf(next.messages, next.bytes)}, `}
                  <Time at={next.at} />
                </>
              ) : (
                <span class="quiet">nothing</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function limitOf({
  kept_days: days,
  kept_bytes: bytes,
  kept_bytes_of: scope,
}: Pick<KeptNumber, 'kept_days' | 'kept_bytes' | 'kept_bytes_of'>) {
  if (days === null && bytes === null) return <span class="quiet">no limit</span>;
  const size = bytes === null ? [] : [`${sized(bytes)} of the ${scope}`];
  return [...(days === null ? [] : [`${counts.format(days)} days`]), ...size].join(', ');
}

const Holds = ({ held, reload }: { held: Retained['accounts']; reload: () => void }) =>
  held.length === 0 ? (
    <p class="quiet">No account is on hold.</p>
  ) : (
    <ul class="cassettes">
      {held.map(({ account, hold: current }) => (
        <li key={account} class="card">
          <div class="head">
            <h3>
              <bdi>{account}</bdi>
            </h3>
            <ActButton
              action={hold(account, null)}
              look="button outlined"
              announcement={`The hold of ${account} was released`}
              done={reload}
              confirm={{
                title: `Release the hold of ${account}`,
                text: <p>Messages beyond the limits are deleted within an hour, media and merges within a day.</p>,
                verb: 'Release the hold',
              }}
            >
              Release…<span class="unseen"> {account}</span>
            </ActButton>
          </div>
          <p dir="auto">{current!.reason}</p>
          <p class="quiet">
            since <Time at={current!.since} />
          </p>
        </li>
      ))}
    </ul>
  );

function NewHold({ reload }: { reload: () => void }) {
  const [account, setAccount] = useState('');
  const [reason, setReason] = useState('');
  return (
    <ActForm
      label="Put an account on hold"
      verb="Put on hold"
      action={hold(account, reason)}
      done={() => {
        announce(`${account} is on hold`);
        setAccount('');
        setReason('');
        reload();
      }}
    >
      <Field label="Account" value={account} set={setAccount} note="The business account of its numbers." />
      <Field label="Reason" value={reason} set={setReason} />
    </ActForm>
  );
}
