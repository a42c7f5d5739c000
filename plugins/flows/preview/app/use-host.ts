import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToPreview } from '../../../../core/web/preview-channel.js';
import { type FlowModel, parsed, readFlow } from './definition.js';
import { connectHost } from './host.js';
import { type Inspection, pathsIn } from './inspection.js';
import { dataOf, type Event, proposals, type Session, screenOf, valuesOf } from './session.js';

type Dispatch = (event: Event | { readonly kind: 'replace'; readonly flow: FlowModel }) => void;

/** Follows the editor that frames the preview, and tells it what happens here; undefined when none does. */
export function useHost(session: Session, dispatch: Dispatch): Inspection | undefined {
  const [inspection, setInspection] = useState<Inspection>();
  const host = useRef<ReturnType<typeof connectHost>>();
  const newest = useRef(session);
  newest.current = session;

  useEffect(() => {
    const choose = (path: string): void => {
      document.documentElement.classList.remove('is-choosing');
      host.current!.send({ kind: 'chosen', path });
    };
    const receive = (message: ToPreview): void => {
      const { dataset, classList } = document.documentElement;
      if (message.kind === 'look') Object.assign(dataset, { theme: message.theme, device: message.device });
      else if (message.kind === 'open') dispatch({ kind: 'open', data: message.data });
      else if (message.kind === 'answer') dispatch({ kind: 'answer', screen: message.screen, data: message.data });
      else if (message.kind === 'choose') classList.toggle('is-choosing', message.on);
      else if (message.kind === 'show') show(message.path);
      else if (message.kind === 'text') {
        const { definition, entries, problems } = message;
        const json = parsed(definition);
        setInspection((before) => ({
          paths: before?.paths ?? new Map(),
          shown: before?.shown,
          choose,
          problems,
          ...(json !== undefined && { paths: pathsIn(json) }),
        }));
        // While the text is not JSON, the phone shows the flow that it was.
        if (json !== undefined) dispatch({ kind: 'replace', flow: readFlow(json, entries) });
      }
    };
    const show = (path: string): void => {
      const at = /^screens\[(\d+)\]/.exec(path)?.[1];
      const id = at === undefined ? undefined : [...newest.current.flow.screens.keys()][Number(at)];
      if (id !== undefined && id !== screenOf(newest.current)?.id) dispatch({ kind: 'show', screen: id });
      setInspection((before) => before && { ...before, shown: path });
    };
    // Before the component acts on the click.
    const click = (event: MouseEvent): void => {
      if (!document.documentElement.classList.contains('is-choosing')) return;
      const path = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-path]')?.dataset.path : undefined;
      event.preventDefault();
      event.stopPropagation();
      if (path !== undefined) choose(path);
    };
    host.current = connectHost(receive);
    host.current.send({ kind: 'ready' });
    addEventListener('click', click, true);
    return () => {
      removeEventListener('click', click, true);
      host.current!.end();
    };
  }, []);

  useEffect(() => {
    const screen = screenOf(session);
    host.current!.send({
      kind: 'state',
      screen: screen?.id,
      data: screen ? dataOf(session, screen.id) : {},
      form: screen ? valuesOf(session, screen.id) : {},
      log: session.log,
      response: session.completion?.response,
      request: session.overlay?.kind === 'exchange' ? { body: session.overlay.request, ...proposals(session, session.overlay) } : undefined,
    });
  }, [session]);

  return inspection;
}
