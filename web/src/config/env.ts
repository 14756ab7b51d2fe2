const MAILBOX = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

type Environment = {
  /** Where the legal texts and the help lines send people who need support. */
  supportEmail: string;
  /** The company that the legal texts name. */
  legalEntity: string;
};

/**
 * Reads the settings that the build was given. A wrong one stops the start, because a legal text
 * with a broken address is worse than no page.
 */
export function readEnvironment(source: Record<string, unknown>): Environment {
  const supportEmail = text(source.VITE_SUPPORT_EMAIL) ?? 'support@partsight.example';
  if (!MAILBOX.test(supportEmail)) {
    throw new Error(`VITE_SUPPORT_EMAIL is not an e-mail address: ${supportEmail}`);
  }
  return { supportEmail, legalEntity: text(source.VITE_LEGAL_ENTITY) ?? 'Partsight LLC' };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

export const environment = readEnvironment(import.meta.env);
