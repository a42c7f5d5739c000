import { useId, useState } from 'preact/hooks';
import type { PreviewRequest } from '../../../../../core/web/preview-channel.js';
import { JsonView } from '../../components/json-view.js';
import { texts } from './editor-texts.js';
import type { PhoneState, Tell } from './phone-frame.js';

type Fields = Readonly<Record<string, unknown>>;

interface Props {
  readonly phone: PhoneState | undefined;
  readonly tell: Tell;
}

/** The data of the screen at the phone, which can be shown with other data, and the answers on it. */
export function ScreenData({ phone, tell }: Props) {
  if (phone?.screen === undefined) return <p class="quiet">{texts.thePhoneShowsNoScreen}</p>;
  return (
    <div class="screen-data">
      <DataForm
        label={texts.dataOf(phone.screen)}
        data={phone.data}
        verb={texts.showWithThisData}
        send={(data) => tell({ kind: 'open', data })}
      />
      <p class="quiet" aria-hidden="true">
        {texts.answersOnThisScreen}
      </p>
      <JsonView label={texts.answersOnThisScreen} value={phone.form} />
    </div>
  );
}

/** The request to the endpoint that the phone waits for, and the response to write: the preview calls no endpoint. */
export function EndpointAnswer({ request: { body, screens, screen }, tell }: { request: PreviewRequest; tell: Tell }) {
  const [chosen, setChosen] = useState(screen);
  const { id, data } = screens.find((one) => one.id === chosen) ?? screens[0]!;
  return (
    <div class="screen-data">
      <p>{texts.thePhoneWaitsForThe}</p>
      <JsonView label={texts.requestToTheEndpoint} value={body} />
      <label class="field">
        <span>{texts.responseScreen}</span>
        <select class="select" value={id} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {screens.map((one) => (
            <option key={one.id} value={one.id}>
              {one.id}
            </option>
          ))}
        </select>
      </label>
      <DataForm
        key={id}
        label={texts.responseDataOf(id)}
        data={data}
        verb={texts.sendResponse}
        send={(answer) => tell({ kind: 'answer', screen: id, data: answer })}
      />
    </div>
  );
}

interface DataFormProps {
  readonly label: string;
  readonly data: Fields;
  readonly verb: string;
  readonly send: (data: Fields) => void;
}

/** A JSON object to change and send. */
function DataForm({ label, data, verb, send }: DataFormProps) {
  const id = useId();
  const [edited, setEdited] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const text = edited ?? JSON.stringify(data, null, 2);
  const submit = (): void => {
    try {
      const read: unknown = JSON.parse(text);
      if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error(texts.enterAnObject);
      setProblem(undefined);
      setEdited(undefined);
      send(read as Fields);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <div class="field">
        <label for={id}>
          <bdi>{label}</bdi>
        </label>
        <textarea
          id={id}
          class="input mono"
          dir="ltr"
          rows={7}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setEdited(currentTarget.value)}
        />
      </div>
      {problem !== undefined && (
        <p class="act-error" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="button" onClick={submit}>
          {verb}
        </button>
      </div>
    </>
  );
}
