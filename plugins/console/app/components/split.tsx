import { normalizeProps, useMachine } from '@zag-js/preact';
import { connect, machine } from '@zag-js/splitter';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { languageOfPage } from '../../../../core/web/language.js';
import { texts } from './texts.js';

interface SplitProps {
  /** The title of the page, for screen readers: on narrow pages the detail hides the list with its visible title. */
  readonly title: string;
  /** The name of the list, for the handle beside it. */
  readonly label: string;
  readonly list: ComponentChildren;
  /** Undefined when nothing is selected; narrow pages then show the list, and otherwise the detail. */
  readonly detail: ComponentChildren;
  /** Shown beside the list when nothing is selected. */
  readonly nothing: ComponentChildren;
}

/** A list with the detail of its selected entry beside it, or on narrow pages in its place. */
export function Split({ title, label, list, detail, nothing }: SplitProps) {
  const service = useMachine(machine, {
    id: useId(),
    dir: languageOfPage.dir,
    panels: [
      { id: 'list', minSize: 24 },
      { id: 'detail', minSize: 30 },
    ],
    defaultSize: [42, 58],
  });
  const api = connect(service, normalizeProps);
  return (
    <>
      <h1 class="unseen">{title}</h1>
      <div {...api.getRootProps()} class={detail === undefined ? 'split' : 'split has-detail'}>
        <div {...api.getPanelProps({ id: 'list' })} class="split-list">
          {list}
        </div>
        {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the props contain the role separator */}
        <div {...api.getResizeTriggerProps({ id: 'list:detail' })} class="split-handle" aria-label={texts.widthOf(label)} />
        <div {...api.getPanelProps({ id: 'detail' })} class="split-detail" tabIndex={-1} data-detail>
          {detail ?? nothing}
        </div>
      </div>
    </>
  );
}
