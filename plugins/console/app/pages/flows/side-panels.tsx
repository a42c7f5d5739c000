import { useEffect, useState } from 'preact/hooks';
import type { TextPosition } from '../../components/editor/editor-props.js';
import { JsonView } from '../../components/json-view.js';
import { Status } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import { EndpointAnswer, ScreenData } from './data-panels.js';
import { type Checked, type Finding, placeOfPath } from './flow-records.js';
import type { PhoneState, Tell } from './phone-frame.js';
import { ScreenMap } from './screen-map.js';

interface Props {
  readonly checked: Checked | undefined;
  readonly phone: PhoneState | undefined;
  readonly tell: Tell;
  /** Goes to a place of the text, and shows the part of the flow at the phone. */
  readonly goTo: (place: TextPosition, path: string) => void;
}

/** Beside the phone: problems, screens, data, and what was sent. */
export function SidePanels({ checked, phone, tell, goTo }: Props) {
  const [tab, setTab] = useState('problems');
  const { response, request } = phone ?? {};
  useEffect(() => {
    if (response) setTab('log');
  }, [response]);
  const isAsking = request !== undefined;
  useEffect(() => {
    if (isAsking) setTab('data');
  }, [isAsking]);
  const count = checked ? checked.errors.length + checked.hints.length : 0;
  return (
    <Tabs
      label="About the flow"
      current={tab}
      select={setTab}
      tabs={[
        { id: 'problems', label: `Problems ${count}`, content: () => <Problems checked={checked} goTo={goTo} /> },
        {
          id: 'screens',
          label: 'Screens',
          content: () =>
            checked?.screens ? (
              <ScreenMap screens={checked.screens} current={phone?.screen} goTo={(place) => goTo(place, place.path)} />
            ) : (
              <p class="quiet">The text is not JSON.</p>
            ),
        },
        {
          id: 'data',
          label: 'Data',
          content: () =>
            request ? (
              <EndpointAnswer key={JSON.stringify(request.body)} request={request} tell={tell} />
            ) : (
              <ScreenData key={phone?.screen} phone={phone} tell={tell} />
            ),
        },
        { id: 'log', label: 'Log', content: () => <Log phone={phone} /> },
      ]}
    />
  );
}

function Problems({ checked, goTo }: Pick<Props, 'checked' | 'goTo'>) {
  if (!checked) return <p class="quiet">The text is being checked.</p>;
  const { errors, hints, unlisted_errors: more } = checked;
  if (errors.length + hints.length === 0) return <Status tone="ok">No errors and no hints</Status>;
  const row = (finding: Finding, isError: boolean) => {
    const path = finding.pointers[0]?.path ?? '';
    return (
      <li key={`${finding.error} ${finding.line_start} ${path}`}>
        <button
          type="button"
          class="flow-problem"
          onClick={() => goTo(placeOfPath(path, checked) ?? { line: finding.line_start, column: finding.column_start }, path)}
        >
          <Status tone={isError ? 'bad' : 'warn'}>{isError ? 'Error' : 'Hint'}</Status> <code>{finding.error}</code>{' '}
          <span dir="auto">{finding.message}</span>{' '}
          <small>
            line {finding.line_start} {path !== '' && <code>{path}</code>}
          </small>
        </button>
      </li>
    );
  };
  return (
    <ul class="flow-problems">
      {errors.map((one) => row(one, true))}
      {hints.map((one) => row(one, false))}
      {more > 0 && <li class="quiet">{more} more errors are not listed.</li>}
    </ul>
  );
}

function Log({ phone }: Pick<Props, 'phone'>) {
  if (!phone || phone.log.length === 0) return <p class="quiet">Nothing was pressed yet.</p>;
  return (
    <>
      {phone.response && (
        <section class="callout ok" aria-label="Response of the flow">
          <p>
            <strong>Completed.</strong> This is sent as <code>response_json</code>:
          </p>
          <JsonView label="Response" value={phone.response} />
        </section>
      )}
      <ol class="flow-log" aria-label="Log">
        {phone.log.map((entry, at) => (
          <li key={at}>
            <p>
              <code>{entry.action}</code> on <bdi>{entry.screen}</bdi>
            </p>
            <JsonView label={`Payload of ${entry.action}`} value={entry.detail} />
          </li>
        ))}
      </ol>
    </>
  );
}
