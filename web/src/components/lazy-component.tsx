import { createElement, lazy, type ComponentType } from 'react';

/** By the error that a component's code did not arrive with: what asks for that code anew. */
const renewals = new WeakMap<object, () => void>();

/**
 * A component whose code is loaded when it is first drawn.
 *
 * As React's `lazy`, but that remembers for good that the code did not arrive. Here the
 * `ErrorBoundary` around it forgets it: drawn again, the component asks again.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const begin = () =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (error) {
        // One of its own for each component, even where they come in one file.
        const failure = new Error('The code of a component did not arrive.', { cause: error });
        renewals.set(failure, () => {
          loaded = begin();
        });
        throw failure;
      }
    });
  let loaded: ComponentType<Props> = begin();
  return function LazyComponent(props: Props) {
    return createElement(loaded, props);
  };
}

/** Lets the component that failed with `error` load its code again, if that is why it failed. */
export function forgetFailedLoad(error: unknown): void {
  if (typeof error === 'object' && error !== null) renewals.get(error)?.();
}
