import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { reasonOf } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { ActionMenu } from './action-menu.js';
import { type Action, perform } from './copy.js';
import { Draw } from './icons.js';
import { texts } from './panel-texts.js';
import type { ContextObject, Panel, PanelAction, PanelsView, Span, Suggestion } from './panel-view.js';
import { flag, inShell } from './shell-words.js';
import { Status } from './status.js';
import { Time } from './time.js';
import { ToolButton } from './tool-button.js';

interface Between {
  readonly contact: string;
  readonly number: string;
}

interface IntegrationsProps {
  readonly thread: { readonly uuid: string; reload(refresh?: boolean): Promise<void> };
  /** The address of the contact and of the number, for commands. */
  readonly between: Between;
  readonly view: PanelsView;
  /** Puts the text of a suggestion into the reply. */
  readonly apply: (text: string) => void;
  /** Says what a click on a suggestion does. */
  readonly applyTitle?: string;
}

/** The data of integrations about the contact: context, actions, and suggested replies, the most confident first. */
export function Integrations({ thread, between, view, apply, applyTitle = texts.putIntoTheReply }: IntegrationsProps) {
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [clicked, setClicked] = useState<string>();
  const refresh = async (): Promise<void> => {
    setLoading(true);
    await thread.reload(true);
    setLoading(false);
  };
  const click = async (description: string, action: Action): Promise<void> => {
    setProblem(undefined);
    setClicked(undefined);
    try {
      const { click } = await perform<{ click: { state: string; trouble?: { reason: string } } }>(action);
      if (click.state === 'failed') return setProblem(`${description}: ${click.trouble?.reason ?? texts.theCallFailed}`);
      setClicked(description);
      announce(texts.theIntegrationAcceptedIt(description));
      await thread.reload();
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  const panels = view.state === 'loaded' ? view.data.panels : [];
  const suggestions = view.state === 'loaded' ? view.data.suggested_responses : [];
  return (
    <section class="integrations" aria-label={texts.integrations}>
      <div class="head">
        <h3>{texts.context}</h3>
        <ToolButton
          label={texts.refresh}
          look="button plain"
          isDisabled={isLoading}
          action={{
            method: 'GET',
            path: `/conversations/${thread.uuid}?refresh=true`,
            command: commandOf(['context', between.contact, ...flag('number', between.number)]),
          }}
          onClick={() => void refresh()}
        >
          <Draw name="refresh" /> {isLoading ? texts.asking : texts.refresh}
        </ToolButton>
      </div>
      {view.state === 'failed' && <p class="problem">{view.reason}</p>}
      {view.state === 'loaded' && panels.length === 0 && <p class="quiet">{texts.noIntegrationIsEnabledFor}</p>}
      {panels.map((panel) => (
        <PanelView key={panel.integration} conversation={thread.uuid} between={between} panel={panel} click={click} />
      ))}
      {problem !== undefined && (
        <p class="problem" role="alert" dir="auto">
          {problem}
        </p>
      )}
      {clicked !== undefined && (
        <p>
          <Status tone="ok">
            <span dir="auto">{clicked}</span>
          </Status>
        </p>
      )}
      {suggestions.length > 0 && <Suggestions suggestions={suggestions} apply={apply} applyTitle={applyTitle} />}
    </section>
  );
}

interface PanelViewProps {
  readonly conversation: string;
  readonly between: Between;
  readonly panel: Panel;
  readonly click: (description: string, action: Action) => Promise<void>;
}

function PanelView({ conversation, between, panel, click }: PanelViewProps) {
  const actionFor = ({ integration, action }: PanelAction, option?: string): Action => ({
    method: 'POST',
    path: `/conversations/${conversation}/actions`,
    payload: { integration, action, ...(option !== undefined && { option }) },
    command: commandOf([
      'click',
      ...(action.startsWith('-') ? [] : [action]),
      ...flag('contact', between.contact),
      ...flag('number', between.number),
      ...flag('name', panel.name),
      ...(option === undefined ? [] : flag('option', option)),
      ...(action.startsWith('-') ? ['--', action] : []),
    ]),
  });
  const { name, state, trouble, loaded_at, context_objects, actions, warnings } = panel;
  return (
    <div class="panel">
      <p class="panel-name">
        <strong dir="auto">{name}</strong>
        {state === 'loaded' && loaded_at !== undefined && (
          <small class="quiet">
            <Time at={loaded_at} />
          </small>
        )}
        {state !== 'loaded' && (
          <Status tone={state === 'stale' ? 'warn' : 'bad'}>{state === 'stale' ? texts.notCurrent : texts.failed}</Status>
        )}
      </p>
      {trouble && <p class="problem">{trouble.reason}</p>}
      {context_objects.map((object) => (
        <Context key={object.code} object={object} />
      ))}
      {actions.length > 0 && (
        <div class="buttons">
          {actions.map((action) =>
            action.options.length === 0 ? (
              <ToolButton
                key={action.action}
                label={action.description}
                action={actionFor(action)}
                onClick={() => void click(action.description, actionFor(action))}
              >
                <bdi>{action.description}</bdi>
              </ToolButton>
            ) : (
              <ActionMenu
                key={action.action}
                look="button outlined"
                copyTitle={texts.copy(action.description)}
                items={action.options.map(({ option, label }) => ({ id: option, label, action: actionFor(action, option) }))}
                run={(item) => void click(action.description, item.action)}
              >
                <bdi>{action.description}</bdi> <span aria-hidden="true">▾</span>
              </ActionMenu>
            ),
          )}
        </div>
      )}
      {warnings.length > 0 && (
        <details>
          <summary>{texts.partPartsOfTheResponse(warnings.length)}</summary>
          <ul>
            {warnings.map(({ path, message }) => (
              <li key={path}>
                <code>{path}</code> <span dir="auto">{message}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const commandOf = (words: readonly string[]): string => `posthorn integration ${words.map(inShell).join(' ')}`;

export function Context({ object: { title, rows, items } }: { object: ContextObject }) {
  if (rows)
    return (
      <table>
        <caption dir="auto">{title}</caption>
        <tbody>
          {rows.map(({ key, value }) => (
            <tr key={key}>
              <th scope="row" dir="auto">
                {key}
              </th>
              <td dir="auto">
                <Spans spans={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    );
  const shown = (items ?? []).map(({ number, value }, at) => (
    <li key={at} dir="auto" {...(number !== undefined && { value: number })}>
      <Spans spans={value} />
    </li>
  ));
  const isOrdered = items?.some(({ number }) => number !== undefined) ?? false;
  return (
    <div>
      <h4 dir="auto">{title}</h4>
      {isOrdered ? <ol>{shown}</ol> : <ul class="bullets">{shown}</ul>}
    </div>
  );
}

const Spans = ({ spans }: { spans: readonly Span[] }): ComponentChildren => spans.map((span, at) => <SpanView key={at} span={span} />);

function SpanView({ span: { type, text, url, children } }: { span: Span }): ComponentChildren {
  const inner = children ? <Spans spans={children} /> : text;
  if (type === 'strong') return <strong>{inner}</strong>;
  if (type === 'emphasis') return <em>{inner}</em>;
  if (type === 'strike') return <s>{inner}</s>;
  if (type === 'code') return <code>{inner}</code>;
  if (type === 'link' && url !== undefined && /^https?:\/\//i.test(url))
    return (
      <a href={url} target="_blank" rel="noopener noreferrer">
        {inner}
      </a>
    );
  return <>{inner}</>;
}

interface SuggestionsProps extends Pick<IntegrationsProps, 'apply'> {
  readonly suggestions: readonly Suggestion[];
  readonly applyTitle: string;
}

export const Suggestions = ({ suggestions, apply, applyTitle }: SuggestionsProps) => (
  <div>
    <h3>{texts.suggestedReplies}</h3>
    <ul class="suggestions">
      {suggestions.map(({ integration, title, body, confidence }) => (
        <li key={`${integration} ${title} ${body}`}>
          <button type="button" class="suggestion" onClick={() => apply(body)} title={applyTitle}>
            <span class="head">
              <strong dir="auto">{title}</strong>
              <small>{Math.round(confidence * 100)} %</small>
            </span>
            <span class="quiet" dir="auto">
              {body}
            </span>
          </button>
        </li>
      ))}
    </ul>
  </div>
);
