import { useId, useState } from 'preact/hooks';
import { JsonView } from '../../../components/json-view.js';
import { Status } from '../../../components/status.js';
import { duration } from '../../../components/time.js';
import type { ModelCall, ModelReply } from './records.js';
import { texts } from './texts.js';

const BY = {
  connection: texts.itsConnection,
  script: texts.theScript,
  recordings: texts.aRecordedReply,
  given: texts.anEditedAnswer,
} as const;

interface Props {
  readonly calls: readonly ModelCall[];
  /** Plays the turn again with replies to its first calls. */
  readonly playWith: (replies: readonly ModelReply[]) => void;
  readonly isBusy: boolean;
}

/** The calls of models in a turn: prompt, tools, answer, tokens and time. An answer can be edited, and the turn played again with it. */
export const ModelCalls = ({ calls, playWith, isBusy }: Props) => (
  <ul class="sim-calls">
    {calls.map((call, i) => (
      <li key={i}>
        <div class="buttons">
          <Status tone={call.failure ? 'bad' : 'ok'}>{call.failure ? call.failure.code : texts.answered}</Status>
          <bdi>{call.connection}</bdi>
          <span class="quiet">
            {[
              call.model,
              call.reply && texts.tokens(call.reply.tokens.input, call.reply.tokens.output),
              duration(call.elapsed_ms),
              texts.by(BY[call.answered_by]),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
        {call.failure && (
          <p class="callout bad" dir="auto">
            {call.failure.reason}
          </p>
        )}
        <Request call={call} />
        {call.reply && <Reply reply={call.reply} />}
        <EditedAnswer
          key={call.reply?.text}
          reply={call.reply}
          isBusy={isBusy}
          play={(reply) => playWith([...calls.slice(0, i).flatMap((one) => one.reply ?? []), reply])}
        />
      </li>
    ))}
  </ul>
);

interface RequestProps {
  readonly call: Pick<ModelCall, 'messages' | 'tools'>;
  readonly isOpen?: boolean;
}

/** The prompt and the tools of a call. */
export const Request = ({ call: { messages, tools }, isOpen = false }: RequestProps) => (
  <details class="sim-more" open={isOpen}>
    <summary>{texts.promptOf(messages.length, tools.length)}</summary>
    <dl class="sim-prompt">
      {messages.map(({ role, content, name, calls = [] }, i) => (
        <div key={i}>
          <dt>{name === undefined ? role : `${role} ${name}`}</dt>
          <dd dir="auto">
            {content}
            {calls.map((one) => (
              <code key={one.id}>
                {one.name}({one.arguments})
              </code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
    {tools.length > 0 && <JsonView label={texts.tools} value={tools} openDepth={1} />}
  </details>
);

/** The text that a model replied, and the tools that it called. */
export const Reply = ({ reply: { text, calls } }: { reply: ModelReply }) => (
  <div class="sim-reply" dir="auto">
    {text !== '' && <p class="words">{text}</p>}
    {calls.map(({ id, name, arguments: given }) => (
      <code key={id}>
        {name}({given})
      </code>
    ))}
  </div>
);

interface EditedAnswerProps {
  readonly reply: ModelReply | null;
  readonly isBusy: boolean;
  readonly play: (reply: ModelReply) => void;
}

function EditedAnswer({ reply, isBusy, play }: EditedAnswerProps) {
  const id = useId();
  const [text, setText] = useState(reply?.text ?? '');
  const [calls, setCalls] = useState(JSON.stringify(reply?.calls.map(({ name, arguments: given }) => ({ name, arguments: given })) ?? []));
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    try {
      const given = (JSON.parse(calls) as readonly { name: string; arguments?: unknown }[]).map((call, i) => ({
        id: `edited-${i}`,
        name: String(call.name),
        arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
      }));
      setProblem(undefined);
      play({ text, calls: given, tokens: { input: 0, output: 0 } });
    } catch (error) {
      setProblem(texts.callsMustBeList((error as Error).message));
    }
  };
  return (
    <details class="sim-more">
      <summary>{texts.editAnswer}</summary>
      <div class="field">
        <label for={`${id}-text`}>{texts.text}</label>
        <textarea
          id={`${id}-text`}
          class="area"
          rows={3}
          dir="auto"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for={`${id}-calls`}>{texts.callsOfTools}</label>
        <textarea
          id={`${id}-calls`}
          class="area mono"
          rows={2}
          spellcheck={false}
          dir="auto"
          value={calls}
          onInput={({ currentTarget }) => setCalls(currentTarget.value)}
        />
      </div>
      {problem && (
        <p class="act-error" role="alert">
          {problem}
        </p>
      )}
      <button type="button" class="button" disabled={isBusy} onClick={submit}>
        {texts.playWithAnswer}
      </button>
    </details>
  );
}
