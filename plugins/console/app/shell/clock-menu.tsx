import { useEffect, useState } from 'preact/hooks';
import { locale } from '../../../../core/web/language.js';
import { ActionMenu } from '../components/action-menu.js';
import { type Action, perform } from '../components/copy.js';
import { Draw } from '../components/icons.js';
import { platformDay } from '../components/time.js';
import { CallFailed } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { useQuery } from '../data/query.js';
import { texts } from './texts.js';

interface Clock {
  readonly now: string;
  readonly paused: boolean;
  readonly timers: readonly { readonly at: string; readonly kind: string; readonly title: string }[];
}

const STEPS: readonly (readonly [seconds: number, label: string])[] = [
  [17, texts.n17SecondsLater],
  [300, texts.n5MinutesLater],
  [86_400, texts.n1DayLater],
];

const move = (payload: object, verb: string): Action => ({ method: 'POST', path: '/clock', payload, command: `posthorn clock ${verb}` });

/** The clock of the sandbox, and commands that move it. Hidden where the host application owns the clock. */
export function ClockMenu() {
  const { data, error } = useQuery<Clock>('/clock', ['clock.']);
  const [loadedAt, setLoadedAt] = useState(Date.now());
  const [, tick] = useState(0);
  useEffect(() => setLoadedAt(Date.now()), [data]);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  const elapsed = data?.paused ? 0 : Date.now() - loadedAt;
  const shown = new Date((data ? Date.parse(data.now) : loadedAt) + elapsed);
  const day = shown.toDateString();
  useEffect(() => {
    platformDay.value = data && day;
  }, [data, day]);
  if (!data || error) return null;
  const time = shown.toLocaleTimeString(locale, { hourCycle: 'h23' });
  const run = (action: Action): void =>
    void perform(action).then(
      () => announce(texts.theClockWasMoved),
      (failure: unknown) => announce(failure instanceof CallFailed ? failure.message : texts.theClockWasNotMoved),
    );
  const [next] = data.timers;
  return (
    <ActionMenu
      label={texts.clockOfTheSandbox(time, data.paused)}
      look="button plain clock"
      copyTitle={texts.copyAMoveOfThe}
      run={({ action }) => run(action)}
      items={[
        data.paused
          ? { id: 'resume', label: texts.resumeTheClock, action: move({ paused: false }, 'resume') }
          : { id: 'pause', label: texts.pauseTheClock, action: move({ paused: true }, 'pause') },
        ...STEPS.map(([seconds, label]) => ({ id: String(seconds), label, action: move({ advance: seconds }, `advance ${seconds}s`) })),
        {
          id: 'next',
          label: texts.toTheNextTimer,
          ...(next === undefined ? { isDisabled: true, note: texts.noTimerIsPending } : { note: next.title }),
          action: move({ next: true }, 'next'),
        },
      ]}
    >
      <Draw name={data.paused ? 'pause' : 'clock'} />
      <span>{time}</span>
    </ActionMenu>
  );
}
