import { useId, useState } from 'preact/hooks';
import { Sheet } from '../../../../core/web/sheet.js';
import { type Fields, isFields } from './definition.js';
import { rejectionData } from './endpoint-errors.js';
import { inputsOf } from './inputs.js';
import { Json } from './panels.js';
import { dataOf, type Event, examples, type Overlay, proposals, type Session, screenOf } from './session.js';
import { texts } from './texts.js';

/** Pixels; from this height on the request fits above the response. */
const TALL = 720;

interface SheetProps {
  readonly session: Session;
  readonly dispatch: (event: Event) => void;
}

/** Lets the viewer write the response of the endpoint, which the preview does not call. `Reject` shows the same screen with errors. */
export function AnswerSheet({ session, overlay, dispatch }: SheetProps & { overlay: Overlay & { kind: 'exchange' } }) {
  const { request, next } = overlay;
  const current = screenOf(session)!;
  const isExchange = request.action === 'data_exchange';
  const { screen, screens } = proposals(session, overlay);
  const [target, setTarget] = useState(screen);
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState<string>();
  const selectId = useId();
  const sheetText = (id: string): string => written.get(id) ?? toJson(screens.find((one) => one.id === id)!.data);
  const text = sheetText(target);
  const write = (id: string, value: string) => {
    setTarget(id);
    setWritten(new Map([...written, [id, value]]));
    setProblem(undefined);
  };
  const answer = () => {
    const read = fieldsIn(text);
    if ('problem' in read) setProblem(read.problem);
    else dispatch({ kind: 'answer', screen: target, data: read.fields });
  };
  const canRefuse = isExchange && inputsOf(current).length > 0;
  return (
    <Sheet title={texts.requestToTheEndpoint} close={() => dispatch({ kind: 'dismiss' })} dir="ltr">
      <p class="quiet">{texts.thePreviewCallsNoEndpoint}</p>
      <details open={innerHeight >= TALL}>
        <summary>{texts.request}</summary>
        <Json value={request} label={texts.request} id="request" />
      </details>
      <div class="labelled">
        <label for={selectId}>{texts.responseScreen}</label>
        <select id={selectId} value={target} onChange={({ currentTarget }) => write(currentTarget.value, sheetText(currentTarget.value))}>
          {next.map((id) => (
            <option key={id} value={id}>
              {id}
              {isExchange && id === current.id && texts.again}
            </option>
          ))}
        </select>
      </div>
      <JsonField label={texts.responseData} text={text} problem={problem} write={(value) => write(target, value)} />
      <div class={canRefuse ? 'choices in-row' : 'choices'}>
        {canRefuse && (
          <button
            type="button"
            class="button plain"
            onClick={() => write(current.id, toJson(rejectionData(current, dataOf(session, current.id))))}
          >
            {texts.reject}
          </button>
        )}
        <button type="button" class="button" data-first onClick={answer}>
          {texts.sendResponse}
        </button>
      </div>
    </Sheet>
  );
}

/** Shows the data of the current screen, and opens the screen again with the viewer's changes. */
export function DataSheet({ session, dispatch, close }: SheetProps & { close: () => void }) {
  const { id, data: declared } = screenOf(session)!;
  const [text, setText] = useState(() => toJson(dataOf(session, id)));
  const [problem, setProblem] = useState<string>();
  const write = (value: string) => {
    setText(value);
    setProblem(undefined);
  };
  const show = () => {
    const read = fieldsIn(text);
    if ('problem' in read) return setProblem(read.problem);
    dispatch({ kind: 'open', data: read.fields });
    close();
  };
  return (
    <Sheet title={texts.dataOf(id)} close={close}>
      <p class="quiet">{Object.keys(declared).length === 0 ? texts.thisScreenDeclaresNoData : texts.theDataOfTheScreen}</p>
      <JsonField label={texts.screenData} text={text} problem={problem} write={write} />
      <div class="choices in-row">
        <button type="button" class="button plain" onClick={() => write(toJson(examples(session.flow, id)))}>
          {texts.examples}
        </button>
        <button type="button" class="button" onClick={show}>
          {texts.show}
        </button>
      </div>
    </Sheet>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly text: string;
  readonly problem: string | undefined;
  readonly write: (text: string) => void;
}

function JsonField({ label, text, problem, write }: JsonFieldProps) {
  const id = useId();
  return (
    <div class={problem ? 'labelled has-problem' : 'labelled'}>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="code-text"
        dir="ltr"
        rows={Math.min(12, Math.max(4, text.split('\n').length))}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      {problem && (
        <p id={`${id}-problem`} class="wrong" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const toJson = (data: Fields): string => JSON.stringify(data, null, 2);

/** Parses the viewer's JSON: an object, or the problem with it. */
function fieldsIn(text: string): { readonly fields: Fields } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { fields: value } : { problem: texts.enterAJsonObjectIn };
  } catch (error) {
    return { problem: texts.thisIsNotJson(error instanceof Error ? error.message : String(error)) };
  }
}
