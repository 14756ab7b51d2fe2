import { afterEach, expect, it, vi } from 'vitest';
import { renderHook } from '@testing-library/react';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { registerServiceWorker } from '@/service-worker/register';

/** The part of a browser that holds workers, which jsdom lacks. */
class Workers extends EventTarget {
  registration = Object.assign(new EventTarget(), {
    active: {},
    waiting: null as { postMessage: (message: string, ports: MessagePort[]) => void } | null,
    installing: null,
  });
  register = vi.fn(() => Promise.resolve(this.registration));

  constructor(readonly controller: object | null) {
    super();
    Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: this });
  }
}

const reload = vi.fn();

function watchReloads() {
  reload.mockClear();
  vi.stubGlobal('location', { reload });
}

afterEach(() => {
  document.body.innerHTML = '';
  vi.unstubAllGlobals();
  vi.useRealTimers();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

it('loads the page anew when a new worker takes control', async () => {
  watchReloads();
  const workers = new Workers({});
  await registerServiceWorker();
  workers.dispatchEvent(new Event('controllerchange'));
  expect(reload).toHaveBeenCalledOnce();
});

it('does not for the first worker ever', async () => {
  watchReloads();
  const workers = new Workers(null);
  await registerServiceWorker();
  workers.dispatchEvent(new Event('controllerchange'));
  expect(reload).not.toHaveBeenCalled();
  workers.dispatchEvent(new Event('controllerchange'));
  expect(reload).toHaveBeenCalledOnce();
});

it('lets a new worker in once nothing is being typed', async () => {
  vi.useFakeTimers();
  document.body.innerHTML = '<input>';
  document.querySelector('input')?.focus();
  const workers = new Workers({});
  const postMessage = vi.fn();
  workers.registration.waiting = { postMessage };
  await registerServiceWorker();
  vi.advanceTimersByTime(4000);
  expect(postMessage).not.toHaveBeenCalled();
  document.querySelector('input')?.blur();
  vi.advanceTimersByTime(2000);
  expect(postMessage).toHaveBeenCalledWith('take-over', [expect.any(MessagePort)]);
});

it.each([
  ['idle', '<p>Read</p><input>', false],
  ['in the middle of something', '<div role="dialog"></div>', true],
  ['at a question', '<div role="alertdialog"></div>', true],
])('tells a worker that it is %s', async (_, html, expected) => {
  document.body.innerHTML = html;
  const workers = new Workers({});
  await registerServiceWorker();
  const postMessage = vi.fn();
  const question = { data: 'is-in-the-middle', ports: [{ postMessage }] };
  workers.dispatchEvent(Object.assign(new Event('message'), question));
  expect(postMessage).toHaveBeenCalledExactlyOnceWith(expected);
});

it('asks again where another tab holds the update up, and says so once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const said = vi.fn();
  window.addEventListener('toast', said);
  const workers = new Workers({});
  let isHeldUp = true;
  const postMessage = vi.fn((_: string, [port]: MessagePort[]) => {
    if (isHeldUp) port?.postMessage(null);
  });
  workers.registration.waiting = { postMessage };
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const asked = async (times: number) => {
    await vi.waitFor(() => {
      vi.advanceTimersByTime(2000);
      expect(postMessage).toHaveBeenCalledTimes(times);
    });
  };
  await registerServiceWorker();
  await asked(2);
  expect(said).not.toHaveBeenCalled();
  hidden.mockReturnValue(false);
  await asked(4);
  isHeldUp = false;
  await asked(5);
  expect(said).toHaveBeenCalledOnce();
  window.removeEventListener('toast', said);
});

it('goes on without a worker where the browser has none or refuses', async () => {
  await registerServiceWorker();
  const workers = new Workers(null);
  workers.register.mockRejectedValue(new Error('no'));
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  await registerServiceWorker();
  expect(warn).toHaveBeenCalledOnce();
});

it('waits for work that is kept nowhere else', async () => {
  vi.useFakeTimers();
  watchReloads();
  const work = renderHook(({ unsaved }) => useUnsavedWork(unsaved), {
    initialProps: { unsaved: true },
  });
  const other = renderHook(() => useUnsavedWork(true));
  const workers = new Workers({});
  await registerServiceWorker();
  workers.dispatchEvent(new Event('controllerchange'));
  work.rerender({ unsaved: false });
  vi.advanceTimersByTime(4000);
  expect(reload).not.toHaveBeenCalled();
  // What leaves the screen holds nothing any more.
  other.unmount();
  vi.advanceTimersByTime(2000);
  expect(reload).toHaveBeenCalledOnce();
});
