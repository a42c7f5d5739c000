import { useState } from 'preact/hooks';
import { locale } from '../../../../../core/web/language.js';
import { ActButton, ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { quoted } from '../../components/shell-words.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

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
const counts = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const sized = (bytes: number): string => {
  const steps = bytes < 2 ** 20 ? 1 : bytes < 2 ** 30 ? 2 : 3;
  return `${counts.format(bytes / 1024 ** steps)} ${['', 'KiB', 'MiB', 'GiB'][steps]}`;
};
const messagesOf = (count: number, bytes: number): string =>
  texts.countsPluralCountMessage(counts.format(count), count, count === 0 ? '' : `, ${sized(bytes)}`);

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
    <SettingsSection query={query} lacks={texts.retentionOfMessages}>
      {({ numbers, accounts }) => (
        <>
          <p>{texts.messagesAreKeptUntilThe(POSTHORN)}</p>
          {numbers.length === 0 ? <p class="quiet">{texts.thereIsNoNumberYet}</p> : <Numbers numbers={numbers} />}
          <h2>{texts.accountsOnHold}</h2>
          <p>{texts.nothingOfAnAccountOn}</p>
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
          <th scope="col">{texts.number}</th>
          <th scope="col">{texts.account}</th>
          <th scope="col">{texts.keptFor}</th>
          <th scope="col">{texts.keptNow}</th>
          <th scope="col">{texts.goesNext}</th>
        </tr>
      </thead>
      <tbody>
        {numbers.map(({ number, name, account, on_hold: isHeld, messages, bytes, next, ...limits }) => (
          <tr key={number}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td>{account === null ? <span class="quiet">{texts.none}</span> : <bdi>{account}</bdi>}</td>
            <td>{limitOf(limits)}</td>
            <td class="figure">
              {messages === null || bytes === null ? <span class="quiet">{texts.notCounted}</span> : messagesOf(messages, bytes)}
            </td>
            <td class="figure">
              {isHeld ? (
                <Status tone="warn">{texts.onHold}</Status>
              ) : next ? (
                <>
                  {next.messages > 0 && `${messagesOf(next.messages, next.bytes)}, `}
                  <Time at={next.at} />
                </>
              ) : (
                <span class="quiet">{texts.nothing}</span>
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
  if (days === null && bytes === null) return <span class="quiet">{texts.noLimit}</span>;
  const size = bytes === null ? [] : [texts.ofThe(sized(bytes), scope)];
  return [...(days === null ? [] : [texts.days(counts.format(days))]), ...size].join(', ');
}

const Holds = ({ held, reload }: { held: Retained['accounts']; reload: () => void }) =>
  held.length === 0 ? (
    <p class="quiet">{texts.noAccountIsOnHold}</p>
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
              announcement={texts.theHoldOfWasReleased(account)}
              done={reload}
              confirm={{
                title: texts.releaseTheHoldOf(account),
                text: <p>{texts.messagesBeyondTheLimitsAre}</p>,
                verb: texts.releaseTheHold,
              }}
            >
              {texts.release}
              <span class="unseen"> {account}</span>
            </ActButton>
          </div>
          <p dir="auto">{current!.reason}</p>
          <p class="quiet">{texts.since(<Time at={current!.since} />)}</p>
        </li>
      ))}
    </ul>
  );

function NewHold({ reload }: { reload: () => void }) {
  const [account, setAccount] = useState('');
  const [reason, setReason] = useState('');
  return (
    <ActForm
      label={texts.putAnAccountOnHold}
      verb={texts.putOnHold}
      action={hold(account, reason)}
      done={() => {
        announce(texts.isOnHold(account));
        setAccount('');
        setReason('');
        reload();
      }}
    >
      <Field label={texts.account} value={account} set={setAccount} note={texts.theBusinessAccountOfIts} />
      <Field label={texts.reason} value={reason} set={setReason} />
    </ActForm>
  );
}
