import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { locale } from '../../../../../core/web/language.js';
import { ActError, ActForm, Field, useAct } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { pathOf } from '../../components/record-link.js';
import { Status } from '../../components/status.js';
import { duration } from '../../components/time.js';
import { ToolButton } from '../../components/tool-button.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

interface Timer {
  readonly at: string;
  readonly kind: string;
  readonly id?: string;
  readonly title: string;
}

interface Clock {
  readonly now: string;
  readonly paused: boolean;
  readonly offset_ms: number;
  readonly timers: readonly Timer[];
}

const STEPS: readonly (readonly [seconds: number, label: string, flag: string])[] = [
  [17, texts.n17Seconds, '17s'],
  [91, texts.n91Seconds, '91s'],
  [300, texts.n5Minutes, '5m'],
  [86_400, texts.n1Day, '1d'],
];
const KIND_PAGES: Readonly<Record<string, string>> = { retry: 'delivery' };
const ON = ['clock.', 'delivery.', 'journey.', 'message.', 'integration.'];

const move = (payload: object, verb: string): Action => ({ method: 'POST', path: '/clock', payload, command: `posthorn clock ${verb}` });

/** The clock of the sandbox: its pace, moves, and the work that becomes due next. */
export const ClockSettings = () => (
  <SettingsSection query={useQuery<Clock>('/clock', ON)} lacks={texts.clockThatCanBeMoved}>
    {(clock) => <Shown clock={clock} />}
  </SettingsSection>
);

function Shown({ clock: initial }: { clock: Clock }) {
  const [clock, setClock] = useState(initial);
  const [loadedAt, setLoadedAt] = useState(Date.now());
  const [seconds, setSeconds] = useState('60');
  const [reached, setReached] = useState<readonly Timer[]>();
  const [, tick] = useState(0);
  const act = useAct();
  const show = (next: Clock): void => {
    setClock(next);
    setLoadedAt(Date.now());
  };
  useEffect(() => show(initial), [initial]);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  const moved = (next: Clock & { readonly reached: readonly Timer[] }): void => {
    show(next);
    setReached(next.reached);
    announce(texts.theClockWasMovedTimers(next.reached.length));
  };
  const run = (action: Action): void =>
    void act.run<Clock & { reached: readonly Timer[] }>(action).then((result) => {
      if (result) moved(result);
    });
  const now = Date.parse(clock.now) + (clock.paused ? 0 : Date.now() - loadedAt);
  const button = (label: string, action: Action, look = 'button outlined', isDisabled = false) => (
    <ToolButton key={label} label={label} action={action} look={look} isDisabled={act.isBusy || isDisabled} onClick={() => run(action)} />
  );
  return (
    <>
      <p class="clock-now">
        <time class="figure" dateTime={new Date(now).toISOString()}>
          {new Date(now).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })}
        </time>{' '}
        <Status tone={clock.paused ? 'warn' : 'ok'}>{clock.paused ? texts.paused : texts.followsRealTime}</Status>{' '}
        {Math.abs(clock.offset_ms) > 1_000 && (
          <span class="quiet">{texts.aheadOfBehindThisMachine(duration(Math.abs(clock.offset_ms)), clock.offset_ms)}</span>
        )}
      </p>
      <div class="buttons">
        {clock.paused
          ? button(texts.resume, move({ paused: false }, 'resume'), 'button')
          : button(texts.pause, move({ paused: true }, 'pause'), 'button')}
        {button(texts.toTheNextTimer, move({ next: true }, 'next'), 'button outlined', clock.timers.length === 0)}
        {STEPS.map(([step, label, flag]) => button(`+ ${label}`, move({ advance: step }, `advance ${flag}`)))}
      </div>
      <ActError error={act.error} />
      <ActForm<Clock & { reached: readonly Timer[] }>
        label={texts.advanceTheClock}
        verb={texts.advance}
        action={move({ advance: Number(seconds) }, `advance ${seconds}s`)}
        done={moved}
      >
        <Field label={texts.secondsToAdvance} type="number" value={seconds} set={setSeconds} note={texts.retriesExpiriesAndTimeouts} />
      </ActForm>
      {reached && (
        <div class="callout ok" role="status">
          <p>{reached.length === 0 ? texts.noTimerBecameDue : texts.becameDue(reached.length)}</p>
          <ul>
            {reached.slice(0, 20).map((timer) => (
              <li key={`${timer.at} ${timer.title}`}>
                <TimerTitle timer={timer} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="table-scroll">
        <table class="words">
          <caption>{texts.nextTimers}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.in}</th>
              <th scope="col">{texts.timer}</th>
              <th scope="col" class="optional">
                {texts.kind}
              </th>
              <th scope="col">{texts.moveTheClock}</th>
            </tr>
          </thead>
          <tbody>
            {clock.timers.map((timer) => (
              <tr key={`${timer.at} ${timer.kind} ${timer.id ?? timer.title}`}>
                <td class="figure">{remaining(Date.parse(timer.at) - now)}</td>
                <td>
                  <TimerTitle timer={timer} />
                </td>
                <td class="mono optional">{timer.kind}</td>
                <td>{button(texts.to(timer.at.slice(11, 19)), move({ set: timer.at }, `set ${timer.at}`), 'button plain')}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {clock.timers.length === 0 && <p class="quiet">{texts.nothingIsPending}</p>}
      </div>
    </>
  );
}

const TimerTitle = ({ timer: { kind, id, title } }: { timer: Timer }) =>
  KIND_PAGES[kind] && id !== undefined ? (
    <Link href={pathOf(KIND_PAGES[kind], id)}>
      <bdi>{title}</bdi>
    </Link>
  ) : (
    <bdi>{title}</bdi>
  );

/** Seconds exactly up to two minutes, because retries are 17 to 47 seconds apart. */
const remaining = (ms: number): string => (ms <= 0 ? texts.now : ms < 120_000 ? `${Math.ceil(ms / 1_000)} s` : duration(ms));
