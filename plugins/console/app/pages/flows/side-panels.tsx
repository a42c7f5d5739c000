import { useEffect, useState } from 'preact/hooks';
import type { TextPosition } from '../../components/editor/editor-props.js';
import { JsonView } from '../../components/json-view.js';
import { Status } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import { EndpointAnswer, ScreenData } from './data-panels.js';
import { texts } from './editor-texts.js';
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
      label={texts.aboutTheFlow}
      current={tab}
      select={setTab}
      tabs={[
        { id: 'problems', label: texts.problems2(count), content: () => <Problems checked={checked} goTo={goTo} /> },
        {
          id: 'screens',
          label: texts.screens,
          content: () =>
            checked?.screens ? (
              <ScreenMap screens={checked.screens} current={phone?.screen} goTo={(place) => goTo(place, place.path)} />
            ) : (
              <p class="quiet">{texts.theTextIsNotJson2}</p>
            ),
        },
        {
          id: 'data',
          label: texts.data,
          content: () =>
            request ? (
              <EndpointAnswer key={JSON.stringify(request.body)} request={request} tell={tell} />
            ) : (
              <ScreenData key={phone?.screen} phone={phone} tell={tell} />
            ),
        },
        { id: 'log', label: texts.log, content: () => <Log phone={phone} /> },
      ]}
    />
  );
}

function Problems({ checked, goTo }: Pick<Props, 'checked' | 'goTo'>) {
  if (!checked) return <p class="quiet">{texts.theTextIsBeingChecked}</p>;
  const { errors, hints, unlisted_errors: more } = checked;
  if (errors.length + hints.length === 0) return <Status tone="ok">{texts.noErrorsAndNoHints}</Status>;
  const row = (finding: Finding, isError: boolean) => {
    const path = finding.pointers[0]?.path ?? '';
    return (
      <li key={`${finding.error} ${finding.line_start} ${path}`}>
        <button
          type="button"
          class="flow-problem"
          onClick={() => goTo(placeOfPath(path, checked) ?? { line: finding.line_start, column: finding.column_start }, path)}
        >
          <Status tone={isError ? 'bad' : 'warn'}>{isError ? texts.error : texts.hint}</Status> <code>{finding.error}</code>{' '}
          <span dir="auto">{finding.message}</span>{' '}
          <small>
            {texts.line(finding.line_start)} {path !== '' && <code>{path}</code>}
          </small>
        </button>
      </li>
    );
  };
  return (
    <ul class="flow-problems">
      {errors.map((one) => row(one, true))}
      {hints.map((one) => row(one, false))}
      {more > 0 && <li class="quiet">{texts.moreErrorsAreNotListed(more)}</li>}
    </ul>
  );
}

function Log({ phone }: Pick<Props, 'phone'>) {
  if (!phone || phone.log.length === 0) return <p class="quiet">{texts.nothingWasPressedYet}</p>;
  return (
    <>
      {phone.response && (
        <section class="callout ok" aria-label={texts.responseOfTheFlow}>
          <p>{texts.completedThisIsSentAs()}</p>
          <JsonView label={texts.response} value={phone.response} />
        </section>
      )}
      <ol class="flow-log" aria-label={texts.log}>
        {phone.log.map((entry, at) => (
          <li key={at}>
            <p>{texts.on(entry.action, entry.screen)}</p>
            <JsonView label={texts.payloadOf(entry.action)} value={entry.detail} />
          </li>
        ))}
      </ol>
    </>
  );
}
