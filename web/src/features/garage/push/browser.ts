import type { Schemas } from '@/api/client';

/** What this browser says of notifications. */
export type BrowserPush = {
  /** Whether it has what notifications need. */
  isSupported: boolean;
  permission: NotificationPermission;
  /** The id by which the server knows this browser; null while it is subscribed to nothing. */
  id: string | null;
  /** The key of the server that it is subscribed with, in base64url. */
  publicKey: string | null;
};

const NOTHING: BrowserPush = {
  isSupported: false,
  permission: 'default',
  id: null,
  publicKey: null,
};

export async function browserPush(): Promise<BrowserPush> {
  // Safari on a phone has no `PushManager` before the app is on the home screen.
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return NOTHING;
  const registration = await navigator.serviceWorker.getRegistration();
  // The development server has no worker.
  if (registration === undefined) return NOTHING;
  const { permission } = Notification;
  const subscription = await registration.pushManager.getSubscription();
  if (subscription === null) return { isSupported: true, permission, id: null, publicKey: null };
  const key = subscription.options.applicationServerKey;
  return {
    isSupported: true,
    permission,
    id: await idOf(subscription.endpoint),
    publicKey: key === null ? null : base64Url(key),
  };
}

/** Thrown where the person, or their browser, does not allow notifications. */
export class NotAllowedError extends Error {}

/**
 * Asks for the permission, if it was not given before, and subscribes. To be called by a press: browsers
 * ask upon nothing else.
 */
export async function subscribe(publicKey: string): Promise<Schemas['PushSubscriptionForm']> {
  if ((await Notification.requestPermission()) !== 'granted') throw new NotAllowedError();
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  const key = before?.options.applicationServerKey;
  // A browser refuses another key beside a subscription: this server was set up anew.
  if (key != null && base64Url(key) !== publicKey) await before?.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { keys } = subscription.toJSON();
  return {
    endpoint: subscription.endpoint,
    p256dh: keys?.p256dh ?? '',
    auth: keys?.auth ?? '',
  };
}

/** Ends the subscription of this browser, whoever's it is; its id, or null where there was none. */
export async function unsubscribe(): Promise<string | null> {
  if (!('serviceWorker' in navigator)) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  // No `pushManager` in a browser without notifications.
  const manager = (registration as Partial<ServiceWorkerRegistration> | undefined)?.pushManager;
  const subscription = await manager?.getSubscription();
  if (subscription == null) return null;
  await subscription.unsubscribe();
  return idOf(subscription.endpoint);
}

/** As the server names a browser: SHA-256 of its address, in hexadecimal. */
async function idOf(endpoint: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
