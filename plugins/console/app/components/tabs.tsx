import { normalizeProps, useMachine } from '@zag-js/preact';
import { connect, machine } from '@zag-js/tabs';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { languageOfPage } from '../../../../core/web/language.js';

export interface Tab {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly title?: string;
  readonly content: () => ComponentChildren;
}

/** Tabs, of which one is shown; `select` receives the id of the tab that the user chose. */
export function Tabs({
  label,
  tabs,
  current,
  select,
}: {
  label: string;
  tabs: readonly Tab[];
  current: string;
  select: (id: string) => void;
}) {
  const shown = tabs.find(({ id }) => id === current) ?? tabs[0];
  const service = useMachine(machine, {
    id: useId(),
    dir: languageOfPage.dir,
    value: shown?.id ?? null,
    onValueChange: ({ value }) => value !== null && select(value),
    translations: { listLabel: label },
  });
  const api = connect(service, normalizeProps);
  const list = useRef<HTMLDivElement>(null);
  // On narrow pages the list scrolls; a link may open a tab at its end.
  useEffect(() => {
    const row = list.current;
    const chosen = row?.querySelector('[aria-selected=true]')?.getBoundingClientRect();
    if (!row || !chosen) return;
    const { left, right } = row.getBoundingClientRect();
    if (chosen.right > right) row.scrollLeft += chosen.right - right;
    else if (chosen.left < left) row.scrollLeft += chosen.left - left;
  }, [shown?.id]);
  return (
    <div {...api.getRootProps()} class="tabs">
      <div {...api.getListProps()} ref={list} class="tab-list">
        {tabs.map(({ id, label: text, title }) => (
          <button key={id} {...api.getTriggerProps({ value: id })} class="tab" title={title}>
            {text}
          </button>
        ))}
      </div>
      {shown && (
        <div key={shown.id} {...api.getContentProps({ value: shown.id })} class="tab-content">
          {shown.content()}
        </div>
      )}
    </div>
  );
}
