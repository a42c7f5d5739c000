import { useId, useRef, useState } from 'preact/hooks';
import { ActForm } from '../../components/act.js';
import { copy } from '../../components/copy.js';
import { Context, Suggestions } from '../../components/integration-panel.js';
import { Status } from '../../components/status.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import type { Integration, IntegrationCall, Problem, TryResult } from './records.js';
import { texts } from './texts.js';

const SAMPLE = `{
  "version": "1.0.0-alpha",
  "context_objects": {},
  "actions": {},
  "suggested_responses": [
    { "type": "TEXT", "title": "Thanks", "body": "Thank you for your message.", "confidence": 0.8 }
  ]
}`;

/** A pasted answer, with its problems named and what agents would see of it. */
export function TryAnswer({ integration: { uuid, handshake } }: { integration: Integration }) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [kind, setKind] = useState<TryResult['kind']>('context');
  const [answer, setAnswer] = useState(SAMPLE);
  const [tried, setTried] = useState<TryResult>();
  const last = useQuery<{ calls: readonly IntegrationCall[] }>(`/integrations/${uuid}/calls?limit=50`, ['integration.']).data?.calls.find(
    (call) => call.kind === kind && call.response !== null && !call.response.body.cut,
  );
  const isDeclared = kind === 'context' && handshake.capabilities !== undefined;
  const show = (offset: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(offset, answer.indexOf('\n', offset) < 0 ? answer.length : answer.indexOf('\n', offset));
  };
  return (
    <div class="part">
      <ActForm<{ result: TryResult }>
        label={texts.tryAnAnswer}
        verb={texts.tryIt}
        action={{ method: 'POST', path: '/integrations/try', payload: { kind, answer, ...(isDeclared && { integration: uuid }) } }}
        done={({ result }) => {
          setTried(result);
          announce(result.problems.length === 0 ? texts.noProblems : texts.problems(result.problems.length));
        }}
      >
        <div class="field">
          <label for={`${id}-kind`}>{texts.anAnswerTo}</label>
          <select
            id={`${id}-kind`}
            class="select"
            value={kind}
            onChange={({ currentTarget }) => {
              setKind(currentTarget.value as TryResult['kind']);
              setTried(undefined);
            }}
          >
            <option value="context">{texts.aRequestForContext}</option>
            <option value="handshake">{texts.theHandshake}</option>
          </select>
        </div>
        <div class="field">
          <label for={`${id}-answer`}>{texts.answer}</label>
          <textarea
            ref={area}
            id={`${id}-answer`}
            class="area answer"
            rows={14}
            value={answer}
            spellcheck={false}
            aria-describedby={`${id}-note`}
            onInput={({ currentTarget }) => {
              setAnswer(currentTarget.value);
              setTried(undefined);
            }}
          />
          <small id={`${id}-note`}>
            {kind === 'handshake' ? texts.readAsAResponseTo : isDeclared ? texts.readWithWhatTheHandshake : texts.theHandshakeIsMissingSo}
          </small>
        </div>
        {last && (
          <div>
            <button type="button" class="button outlined" onClick={() => setAnswer(last.response!.body.content)}>
              {texts.takeTheLastResponse}
            </button>
          </div>
        )}
      </ActForm>
      {tried && <Result tried={tried} answer={answer} show={show} />}
    </div>
  );
}

function Result({ tried, answer, show }: { tried: TryResult; answer: string; show: (offset: number) => void }) {
  const { usable, problems, capabilities, panel } = tried;
  return (
    <section class="part" aria-label={texts.result}>
      <h3>
        <Status tone={usable ? (problems.length === 0 ? 'ok' : 'warn') : 'bad'}>
          {!usable ? texts.itCannotBeUsed : problems.length === 0 ? texts.noProblems : texts.problems(problems.length)}
        </Status>
      </h3>
      {problems.length > 0 && (
        <ul class="named-problems" aria-label={texts.problems2}>
          {problems.map((problem) => (
            <li key={`${problem.pointer} ${problem.code}`}>
              <p>
                <code dir="auto">{problem.pointer === '' ? texts.wholeAnswer : problem.pointer}</code>{' '}
                {problem.line !== undefined && (
                  <button type="button" class="button plain" onClick={() => show(offsetOf(answer, problem))}>
                    {texts.lineColumn(problem.line, problem.column)}
                  </button>
                )}
              </p>
              <p dir="auto">
                {problem.message} <small class="quiet mono">{problem.code}</small>
              </p>
            </li>
          ))}
        </ul>
      )}
      {capabilities && (
        <p>{texts.itDeclaresContextObjects(capabilities.context_objects.length, capabilities.actions, capabilities.suggested_responses)}</p>
      )}
      {panel && (
        <div class="panel">
          <p class="panel-name">
            <strong>{texts.asAgentsWouldSeeIt}</strong>
          </p>
          {panel.context_objects.map((object) => (
            <Context key={object.code} object={object} />
          ))}
          {panel.actions.length > 0 && (
            <div>
              <h4>{texts.actions}</h4>
              <ul class="bullets">
                {panel.actions.map(({ action, description, options }) => (
                  <li key={action} dir="auto">
                    {description}
                    {options.length > 0 && <span class="quiet">: {options.map(({ label }) => label).join(', ')}</span>}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {panel.suggested_responses.length > 0 && (
            <Suggestions
              suggestions={panel.suggested_responses}
              apply={(text) => void copy(text, texts.theReply)}
              applyTitle={texts.copyTheReply}
            />
          )}
          {panel.context_objects.length + panel.actions.length + panel.suggested_responses.length === 0 && (
            <p class="quiet">{texts.nothingTheAnswerHasNo}</p>
          )}
        </div>
      )}
    </section>
  );
}

function offsetOf(text: string, { line = 1, column = 1 }: Problem): number {
  const lines = text.split('\n');
  return lines.slice(0, line - 1).reduce((offset, one) => offset + one.length + 1, 0) + column - 1;
}
