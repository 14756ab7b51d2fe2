import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { NotificationsSwitch } from '@/features/garage/push/components/notifications-switch';
import { endPush } from '@/features/garage/push/mutations';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse } from '@/testing/server';

const KEY =
  'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8';
const ENDPOINT = 'https://push.example.net/push/abc';
/** SHA-256 of the endpoint. */
const ID = '0b4920dcf44b957a7dcab786a03e169779a96280c16c7857f9119bfce3960218';

const bytesOf = (key: string) =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  ).buffer;

/** The part of a browser that gets notifications, which jsdom lacks. */
class FakeBrowser {
  subscription: object | null = null;
  /** What the person answers when they are asked. */
  answer: NotificationPermission = 'granted';
  asked = vi.fn();

  constructor(permission: NotificationPermission, subscribedWith: string | null = null) {
    if (subscribedWith !== null) this.subscription = this.subscriptionOf(subscribedWith);
    const pushManager = {
      getSubscription: () => Promise.resolve(this.subscription),
      subscribe: ({ applicationServerKey }: { applicationServerKey: string }) => {
        this.subscription = this.subscriptionOf(applicationServerKey);
        return Promise.resolve(this.subscription);
      },
    };
    const registration = { pushManager };
    const workers = {
      getRegistration: () => Promise.resolve(registration),
      ready: Promise.resolve(registration),
    };
    const notification = {
      permission,
      requestPermission: () => {
        this.asked();
        notification.permission = this.answer;
        return Promise.resolve(this.answer);
      },
    };
    Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: workers });
    vi.stubGlobal('PushManager', () => undefined);
    vi.stubGlobal('Notification', notification);
  }

  private subscriptionOf(key: string) {
    return {
      endpoint: ENDPOINT,
      options: { applicationServerKey: bytesOf(key) },
      toJSON: () => ({ endpoint: ENDPOINT, keys: { p256dh: 'p', auth: 'a' } }),
      unsubscribe: () => {
        this.subscription = null;
        return Promise.resolve(true);
      },
    };
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

const here = { id: ID, browser: 'Firefox on Windows', createdAt: '2026-01-01T00:00:00Z' };

function serverKnows(...subscriptions: (typeof here)[]) {
  answer('get', '/api/reminders/push', { publicKey: KEY, subscriptions });
}

const toggle = () => screen.findByRole('switch', { name: 'Notifications in this browser' });

it('is not there where the server sends none', async () => {
  new FakeBrowser('granted', KEY);
  answer('get', '/api/reminders/push', { publicKey: null, subscriptions: [] });
  const { queryClient } = renderScreen(<NotificationsSwitch />);
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(queryClient.getQueryData(['reminders', 'push'])).toBeDefined();
  expect(screen.queryByRole('switch')).toBeNull();
});

it('says that the browser cannot', async () => {
  serverKnows();
  renderScreen(<NotificationsSwitch />);
  expect(await toggle()).toBeDisabled();
  expect(screen.getByText(/add the app to the Home Screen/)).toBeVisible();
});

it('says what to do where they are blocked', async () => {
  new FakeBrowser('denied');
  serverKnows();
  renderScreen(<NotificationsSwitch />);
  expect(await toggle()).toHaveAttribute('aria-disabled', 'true');
  expect(await toggle()).toHaveAccessibleDescription(/Allow notifications for this site/);
});

it('asks for the permission only when it is switched on', async () => {
  const browser = new FakeBrowser('default');
  serverKnows();
  const sent = note('put', '/api/reminders/push', here);
  const { person } = renderScreen(<NotificationsSwitch />);
  const field = await toggle();
  expect(field).not.toBeChecked();
  expect(browser.asked).not.toHaveBeenCalled();
  serverKnows(here);
  await person.click(field);
  expect(await screen.findByText('Notifications are on')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ endpoint: ENDPOINT, p256dh: 'p', auth: 'a' });
  await waitFor(async () => expect(await toggle()).toBeChecked());
});

it('stays off without the permission, and keeps the focus', async () => {
  const browser = new FakeBrowser('default');
  browser.answer = 'denied';
  serverKnows();
  const sent = note('put', '/api/reminders/push', here);
  const { person } = renderScreen(<NotificationsSwitch />);
  await person.click(await toggle());
  expect(await screen.findByText('Notifications stay off')).toBeVisible();
  expect(sent).not.toHaveBeenCalled();
  const field = await toggle();
  await waitFor(() => expect(field).toHaveAttribute('aria-disabled', 'true'));
  await waitFor(() => expect(field).toBeEnabled());
  expect(field).toHaveFocus();
  await person.click(field);
  expect(browser.asked).toHaveBeenCalledOnce();
});

it('is switched off in the browser and at the server', async () => {
  const browser = new FakeBrowser('granted', KEY);
  serverKnows(here);
  const ended = note('delete', `/api/reminders/push/${ID}`);
  const { person } = renderScreen(<NotificationsSwitch />);
  const field = await toggle();
  expect(field).toBeChecked();
  serverKnows();
  await person.click(field);
  expect(await screen.findByText('No more notifications')).toBeVisible();
  expect(ended).toHaveBeenCalledOnce();
  expect(browser.subscription).toBeNull();
  await waitFor(async () => expect(await toggle()).not.toBeChecked());
});

it.each([
  ['the server has ended it', KEY, []],
  [
    'the server has another key by now',
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    [here],
  ],
])('is off where %s', async (_, key, known) => {
  new FakeBrowser('granted', key);
  serverKnows(...known);
  renderScreen(<NotificationsSwitch />);
  expect(await toggle()).not.toBeChecked();
  expect(await toggle()).toBeEnabled();
});

it('ends with the session, whatever the server knows', async () => {
  const browser = new FakeBrowser('granted', KEY);
  refuse('delete', `/api/reminders/push/${ID}`, { status: 404, detail: 'No' });
  await endPush();
  expect(browser.subscription).toBeNull();
  // And once more without one.
  await endPush();
});
