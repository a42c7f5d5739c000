import type { ComponentChildren } from 'preact';
import type { MessageRecord } from '#core';
import { Draw } from '../../components/icons.js';
import { contentOf, type FilePart, isFileKind, type Option, summaryOf } from './content.js';
import { texts as contentTexts } from './content-texts.js';
import { Media } from './media.js';
import { texts } from './texts.js';

interface BodyProps {
  readonly message: MessageRecord;
  /** Present on a phone that can answer. */
  readonly tap?: ((option: Option) => void) | undefined;
  readonly openList?: (() => void) | undefined;
  readonly openForm?: (() => void) | undefined;
}

/** The content of a message, of any kind. Everything that contacts and connectors wrote is text, never HTML. */
export function MessageBody({ message, tap, openList, openForm }: BodyProps): ComponentChildren {
  const { type, rendered, errors } = message;
  const { text, interactive, location, contacts, template } = contentOf(message);
  if (isFileKind(type)) {
    const file = (message.content as Readonly<Record<string, FilePart | undefined>>)[type] ?? {};
    return (
      <>
        <Media kind={type} file={file} />
        {file.caption && <Text text={file.caption} />}
      </>
    );
  }
  if (type === 'text') return <Text text={text?.body ?? ''} />;
  if (type === 'location' && location) {
    const { latitude, longitude, name, address } = location;
    return (
      <>
        <strong>{name ?? texts.location2}</strong>
        {address && <Text text={address} />}
        <p class="quiet">
          {latitude}, {longitude}
        </p>
      </>
    );
  }
  if (type === 'contacts' && Array.isArray(contacts))
    return contacts.map(({ name, phones }) => (
      <p key={name?.formatted_name}>
        <strong dir="auto">{name?.formatted_name ?? texts.contactCard2}</strong>
        <br />
        <span class="quiet">{phones?.map((one: { phone?: string }) => one.phone).join(', ')}</span>
      </p>
    ));
  if (type === 'template' && rendered === undefined) return <p>{texts.template3(template?.name)}</p>;
  if (interactive?.nfm_reply)
    return (
      <>
        <p>{contentTexts.formCompleted}</p>
        <Text text={prettyJson(interactive.nfm_reply.response_json)} isCode />
      </>
    );
  if (interactive?.body || interactive?.action) return <Question interactive={interactive} {...{ tap, openList, openForm }} />;
  return (
    <>
      <Text text={summaryOf(message)} />
      {errors?.map(({ code, title, details }) => (
        <p key={code} class="quiet">
          {code} {title}: {details}
        </p>
      ))}
    </>
  );
}

const Text = ({ text, isCode = false }: { text: string; isCode?: boolean }) => (
  <p class={isCode ? 'words mono' : 'words'} dir="auto">
    {text}
  </p>
);

interface QuestionProps extends Omit<BodyProps, 'message'> {
  readonly interactive: NonNullable<ReturnType<typeof contentOf>['interactive']>;
}

function Question({ interactive, tap, openList, openForm }: QuestionProps) {
  const { header, body, footer, action = {} } = interactive;
  const kind = header?.type;
  const file = kind === 'image' || kind === 'video' || kind === 'document' ? header?.[kind] : undefined;
  const rows = action.sections?.flatMap((section) => section.rows) ?? [];
  return (
    <>
      {file && <Media kind={kind!} file={file} />}
      {header?.text && <strong dir="auto">{header.text}</strong>}
      <Text text={body?.text ?? ''} />
      {footer?.text && (
        <p class="quiet" dir="auto">
          {footer.text}
        </p>
      )}
      {action.buttons && (
        <div class="options">
          {action.buttons.map(({ reply }) => (
            <button key={reply.id} type="button" class="option" dir="auto" disabled={!tap} onClick={() => tap?.(reply)}>
              {reply.title}
            </button>
          ))}
        </div>
      )}
      {action.sections && (
        <div class="options">
          <button type="button" class="option" disabled={!openList} onClick={openList}>
            <Draw name="menu" /> <bdi>{action.button ?? texts.choose}</bdi>
            <span class="unseen"> {texts.listOfRows(rows.length)}</span>
          </button>
        </div>
      )}
      {interactive.type === 'flow' && (
        <div class="options">
          <button type="button" class="option" disabled={!openForm} onClick={openForm}>
            <bdi>{action.parameters?.flow_cta ?? texts.openTheForm}</bdi>
            <Draw name="external" />
            <span class="unseen"> {texts.opensAFormInA}</span>
          </button>
        </div>
      )}
    </>
  );
}

function prettyJson(text: string | undefined): string {
  try {
    return JSON.stringify(JSON.parse(text ?? ''), null, 2);
  } catch {
    return text ?? '';
  }
}
