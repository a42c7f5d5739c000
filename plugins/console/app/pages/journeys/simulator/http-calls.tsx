import { JsonView } from '../../../components/json-view.js';
import { Status, toneOfHttp } from '../../../components/status.js';
import { MockFields } from './mocks.js';
import type { HttpCall } from './records.js';
import { mockFor } from './setup.js';
import type { Simulator } from './simulation.js';
import { texts } from './texts.js';

interface Props {
  readonly simulator: Simulator;
  readonly calls: readonly HttpCall[];
  readonly openMocks: () => void;
}

/** The requests of a turn: which mock answered, which came closest, and both to edit in place. */
export function HttpCalls({ simulator: { setup }, calls, openMocks }: Props) {
  const add = (call: HttpCall): void => {
    setup.value = { ...setup.value, mocks: [...setup.value.mocks, mockFor(call)] };
    openMocks();
  };
  return (
    <ul class="sim-calls">
      {calls.map((call, i) => (
        <li key={i}>
          <div class="buttons">
            <Status tone={toneOfHttp(call.status)}>{call.status ?? texts.noAnswer}</Status>
            <bdi class="mono">
              {call.method} {call.url}
            </bdi>
          </div>
          <p class="quiet" dir="auto">
            {call.mock !== null
              ? texts.mockAnswered(call.mock)
              : call.mocked
                ? texts.aMockAnswered
                : call.status !== null && texts.itWasSent}
            {call.nearest !== null && ` ${texts.closestOfOthers(call.nearest)}`}
          </p>
          {call.failures.map((failure) => (
            <p key={failure} class="callout bad" dir="auto">
              {failure}
            </p>
          ))}
          {(call.body !== null || call.answer) && (
            <details class="sim-more">
              <summary>{texts.requestAndAnswer}</summary>
              <JsonView label={texts.request} value={{ headers: call.headers, body: parsed(call.body) }} />
              {call.answer && <JsonView label={texts.answer} value={{ ...call.answer, body: parsed(call.answer.body) }} />}
            </details>
          )}
          {call.mock !== null && setup.value.mocks.length >= call.mock ? (
            <details class="sim-more">
              <summary>{texts.editMock(call.mock)}</summary>
              <MockFields setup={setup} position={call.mock - 1} />
              <p class="quiet">{texts.playAgainUsesMock}</p>
            </details>
          ) : (
            <button type="button" class="button outlined" onClick={() => add(call)}>
              {texts.addMockForCall}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function parsed(body: string | null): unknown {
  try {
    return body === null ? null : JSON.parse(body);
  } catch {
    return body;
  }
}
