import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Failure, Loading } from './status.js';

/** A page, or a part of one such as a dialog, whose script is loaded when it is first shown. A failed load can be repeated. */
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
    useEffect(() => {
      if (!Loaded) start();
    }, []);
    if (Loaded) return <Loaded {...props} />;
    if (state.value === 'failed') return <Failure error={{ message: 'This part of the console could not be loaded.' }} retry={start} />;
    return <Loading />;
  };
}
