import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CopyAs } from '../../../components/copy.js';
import { Status } from '../../../components/status.js';
import { duration } from '../../../components/time.js';
import { ToolButton } from '../../../components/tool-button.js';
import { controlOf } from '../../../data/operator.js';
import { bubbleOf } from './bubbles.js';
import { branchTo, copied, type Done, endsOf, forkAt, leave, type Played, play, type Simulator } from './simulation.js';
import { texts } from './texts.js';

const PASSES = [
  [17_000, texts.seconds17],
  [300_000, texts.minutes5],
  [3_600_000, texts.hour1],
  [86_400_000, texts.day1],
] as const;

/** The conversation as on a phone, with a composer, the clock, and the branches. `played` is called when another turn is selected. */
export function Transcript({ simulator, played: afterPlay }: { simulator: Simulator; played: () => void }) {
  const { end, isBusy, error, note, selected } = simulator;
  const branch = branchTo(simulator, end.value);
  const last = branch.at(-1)?.turn;
  const log = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [end.value]);
  useLayoutEffect(() => {
    if (selected.value !== undefined) afterPlay();
  }, [selected.value]);
  const ends = endsOf(simulator);
  return (
    <section class="sim-phone" aria-label={texts.simulation}>
      {last && (
        <div class="sim-head">
          <Branches simulator={simulator} ends={ends} />
          <button type="button" class="button plain" onClick={() => leave(simulator)}>
            {texts.startAgain}
          </button>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <div class="sim-log" ref={log} role="log" aria-label={texts.conversation} tabIndex={0}>
        {branch.length === 0 && <p class="quiet sim-hint">{texts.howToStart}</p>}
        {branch.map((played, i) => (
          <TurnLines key={played.turn.id} {...{ simulator, played }} count={i + 1} isLast={i === branch.length - 1} />
        ))}
      </div>
      {note.value && <p class="callout">{note.value}</p>}
      {error.value && (
        <p class="act-error" role="alert" dir="auto">
          {error.value}
        </p>
      )}
      {!last || last.state === 'waiting_for_input' ? (
        <Composer simulator={simulator} after={last?.id} timeout={last?.timeout_in_ms ?? undefined} isBusy={isBusy.value} />
      ) : (
        <p class="quiet">{texts.forkOrStartAgain}</p>
      )}
    </section>
  );
}

function Branches({ simulator, ends }: { simulator: Simulator; ends: readonly string[] }) {
  const { end } = simulator;
  // A fork becomes a branch with its first turn.
  const shown = end.value === undefined || ends.includes(end.value) ? ends : [...ends, end.value];
  if (shown.length < 2) return <span class="quiet">{texts.branchNumber(1)}</span>;
  return (
    <select
      class="select"
      aria-label={texts.branch}
      value={end.value}
      onChange={({ currentTarget }) => forkAt(simulator, currentTarget.value)}
    >
      {shown.map((id, i) => (
        <option key={id} value={id}>
          {ends.includes(id) ? texts.branchNumber(i + 1) : texts.newBranch}, {texts.turns(branchTo(simulator, id).length)}
        </option>
      ))}
    </select>
  );
}

interface TurnLinesProps {
  readonly simulator: Simulator;
  readonly played: Played;
  readonly count: number;
  readonly isLast: boolean;
}

function TurnLines({ simulator, played: { turn, done, parent }, count, isLast }: TurnLinesProps) {
  const { selected, isBusy, mark } = simulator;
  const bubbles = turn.messages.map(bubbleOf);
  const inMessages = new Set(bubbles.flatMap(({ options }) => options.map(({ label }) => label)));
  const others = turn.options.filter((label) => !inMessages.has(label));
  const answer = (label: string): void => void play(simulator, turn.id, { input: label });
  const isOpen = isLast && turn.state === 'waiting_for_input' && !isBusy.value;
  return (
    <section class={selected.value === turn.id ? 'sim-turn is-selected' : 'sim-turn'} aria-label={texts.turnNumber(count)}>
      <Said done={done} isStart={parent === undefined} />
      {bubbles.map((bubble, i) => (
        <div key={i} class="sim-bubble" dir="auto">
          <span class="words">{bubble.text}</span>
          {bubble.footer && <small>{bubble.footer}</small>}
          {bubble.list && <small>{texts.list(bubble.list)}</small>}
          <Options options={bubble.options} isOpen={isOpen} choose={answer} />
        </div>
      ))}
      {others.length > 0 && <Options options={others.map((label) => ({ label }))} isOpen={isOpen} choose={answer} />}
      {bubbles.length === 0 && turn.state === 'waiting_for_input' && <p class="sim-note">{texts.journeyWaits}</p>}
      {turn.state === 'end' && !turn.failure && <p class="sim-note">{texts.journeyEnded}</p>}
      {turn.state === 'expired' && <p class="sim-note">{texts.waitExpired}</p>}
      {turn.failure && (
        <p class="sim-note bad" dir="auto">
          {texts.journeyFailed(turn.failure.code, turn.failure.reason)}
        </p>
      )}
      {mark.value?.turn === turn.id && (
        <p class="callout bad" role="alert" dir="auto">
          <Status tone="bad">{texts.testFailsHere}</Status>
          <br />
          {mark.value.message}
        </p>
      )}
      <div class="sim-foot">
        <button
          type="button"
          class="button plain"
          aria-pressed={selected.value === turn.id}
          onClick={() => {
            selected.value = turn.id;
          }}
        >
          {texts.turnNumber(count)}
          <bdi class="quiet">{turn.card}</bdi>
          <Counts turn={turn} />
        </button>
        {!isLast && turn.state === 'waiting_for_input' && (
          <button type="button" class="button plain" onClick={() => forkAt(simulator, turn.id)}>
            {texts.fork}
            <span class="unseen"> {texts.atTurn(count)}</span>
          </button>
        )}
      </div>
    </section>
  );
}

function Said({ done, isStart }: { done: Done; isStart: boolean }) {
  if (done.input !== undefined)
    return (
      <div class="sim-bubble own" dir="auto">
        <span class="words">{done.input}</span>
      </div>
    );
  return <p class="sim-note">{isStart ? texts.journeyStarts : texts.pass(duration(done.wait_ms ?? 0))}</p>;
}

function Counts({ turn: { http_calls, skill_calls, model_calls, warnings } }: { turn: Played['turn'] }) {
  const failed = http_calls.filter(({ status }) => status === null).length;
  const parts = [
    http_calls.length > 0 && `${http_calls.length} HTTP`,
    model_calls.length > 0 && `${model_calls.length} AI`,
    skill_calls.length > 0 && texts.skills(skill_calls.length),
  ].filter(Boolean);
  return (
    <>
      {parts.length > 0 && <span class="quiet">{parts.join(', ')}</span>}
      {failed + warnings.length > 0 && <Status tone="warn">{failed + warnings.length}</Status>}
    </>
  );
}

interface OptionsProps {
  readonly options: readonly { readonly label: string; readonly about?: string }[];
  readonly isOpen: boolean;
  readonly choose: (label: string) => void;
}

const Options = ({ options, isOpen, choose }: OptionsProps) =>
  options.length === 0 ? null : (
    <span class="sim-options">
      {options.map(({ label, about }, i) => (
        <button key={i} type="button" class="button outlined" disabled={!isOpen} title={about} onClick={() => choose(label)}>
          <bdi>{label}</bdi>
        </button>
      ))}
    </span>
  );

interface ComposerProps {
  readonly simulator: Simulator;
  readonly after: string | undefined;
  readonly timeout: number | undefined;
  readonly isBusy: boolean;
}

function Composer({ simulator, after, timeout, isBusy }: ComposerProps) {
  const [text, setText] = useState('');
  const [pass, setPass] = useState<number>(PASSES[1][0]);
  const field = useRef<HTMLInputElement>(null);
  const submit = async (): Promise<void> => {
    if (text === '' || isBusy) return;
    if (await play(simulator, after, { input: text })) setText('');
    field.current?.focus();
  };
  const wait = (ms: number): Done => ({ wait_ms: ms });
  return (
    <div class="sim-composer">
      {after === undefined && (
        <ToolButton
          label={texts.startJourney}
          look="button"
          action={copied(simulator, undefined, {})}
          isDisabled={isBusy}
          onClick={() => void play(simulator, undefined, {})}
        />
      )}
      <form
        aria-label={texts.writeAsContact}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <input
          ref={field}
          class="input"
          aria-label={texts.messageOfContact}
          placeholder={texts.message}
          title={texts.whatToWrite}
          value={text}
          dir="auto"
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="button" {...controlOf(copied(simulator, after, { input: text }), isBusy || text === '')}>
          {texts.send}
        </button>
        <CopyAs action={copied(simulator, after, { input: text })} label={texts.copy} />
      </form>
      {after !== undefined && (
        <div class="sim-clock">
          {timeout !== undefined && (
            <ToolButton
              label={texts.letItTimeOut}
              action={copied(simulator, after, wait(Math.max(1, timeout)))}
              isDisabled={isBusy}
              onClick={() => void play(simulator, after, wait(Math.max(1, timeout)))}
            >
              {texts.letItTimeOutAfter(duration(timeout))}
            </ToolButton>
          )}
          <select
            class="select"
            aria-label={texts.timeToPass}
            value={pass}
            onChange={({ currentTarget }) => setPass(Number(currentTarget.value))}
          >
            {PASSES.map(([ms, words]) => (
              <option key={ms} value={ms}>
                {words}
              </option>
            ))}
          </select>
          <ToolButton
            label={texts.letItPass(PASSES.find(([ms]) => ms === pass)![1])}
            action={copied(simulator, after, wait(pass))}
            isDisabled={isBusy}
            onClick={() => void play(simulator, after, wait(pass))}
          />
        </div>
      )}
    </div>
  );
}
