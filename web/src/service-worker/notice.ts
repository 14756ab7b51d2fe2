/** A notification to show. */
type Notice = {
  title: string;
  options: { body: string; tag: string; icon: string; data: { path: string } };
};

/** The page of what is due. */
const REMINDERS = '/vehicle';
const ICON = '/icons/icon-192.png';

/**
 * What a message of the server says. A browser takes the permission away from a site that gets messages
 * and shows nothing, so one that cannot be read is shown in general words.
 */
export function noticeOf(message: string | undefined): Notice {
  const { title, text, path } = fieldsOf(message);
  const body = textOf(text) ?? 'See what is due on your vehicles.';
  return {
    title: textOf(title) ?? 'Reminder',
    // One that comes twice takes the place of the first.
    options: { body, tag: body, icon: ICON, data: { path: textOf(path) ?? REMINDERS } },
  };
}

/** The page of this app that a notification opens, whatever its data says. */
export function pageOf(data: unknown, origin: string): string {
  const path = typeof data === 'object' && data !== null && 'path' in data ? data.path : null;
  const url = typeof path === 'string' ? URL.parse(path, origin) : null;
  return url?.origin === origin ? url.href : new URL(REMINDERS, origin).href;
}

function fieldsOf(message: string | undefined): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(message ?? '');
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
