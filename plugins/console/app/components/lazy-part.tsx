import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Sheet } from '../../../../core/web/sheet.js';
import { returns } from '../data/live.js';
import { Failure, Loading } from './status.js';
import { texts } from './texts.js';

const isDialog = (props: object): props is { close: () => void } => 'close' in props && typeof props.close === 'function';

/**
 * A page, or a part of one such as a dialog, whose script is loaded when it is first shown. A failed load can be repeated.
 * A part with `close` is a dialog, which can be closed also if its script is missing.
 */
export function lazyPart<P extends object>(load: () => Promise<{ readonly default: ComponentType<P> }>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined;
  return function LazyPart(props: P) {
    const state = useSignal<'loading' | 'loaded' | 'failed'>(Loaded ? 'loaded' : 'loading');
    const start = (): void => {
      state.value = 'loading';
      load().then(
        (part) => {
          Loaded = part.default;
          state.value = 'loaded';
        },
        () => {
          state.value = 'failed';
        },
      );
    };
    // Also when the platform is there again.
    useEffect(() => {
      if (!Loaded) start();
    }, [returns.value]);
    if (Loaded) return <Loaded {...props} />;
    const shown = state.value === 'failed' ? <Failure error={{ message: texts.thisPartOfTheConsole }} retry={start} /> : <Loading />;
    if (!isDialog(props)) return shown;
    return state.value === 'loading' ? null : (
      <Sheet title={texts.notLoaded} look="dialog" close={props.close}>
        {shown}
      </Sheet>
    );
  };
}
