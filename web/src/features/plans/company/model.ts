import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { mailbox, optionalText, text } from '@/lib/form-schema';
import { firstLetter } from '@/lib/initials';

export type Company = Schemas['Company'];
export type CompanyMember = Schemas['CompanyMember'];

/** Specification 2, section 5. */
const LOGO_MAX_BYTES = 5 * 1024 * 1024;

/** The longest side of a logo, in pixels: the server keeps no more. */
export const LOGO_SIDE = 512;

/** What is said of a file that is no picture, or of a kind that the browser cannot show. */
export const NOT_A_PICTURE = {
  title: 'Invalid file type',
  description: 'Please select an image file.',
};

/** Why a file cannot be the logo; null for one that may be, if it can be drawn. */
export function logoRefusal(
  file: Pick<File, 'type' | 'size'>,
): { title: string; description: string } | null {
  if (!file.type.startsWith('image/')) {
    return NOT_A_PICTURE;
  }
  if (file.size > LOGO_MAX_BYTES) {
    return { title: 'File too large', description: 'Please select an image smaller than 5MB.' };
  }
  return null;
}

/** What is to happen to the logo: it stays, it goes, or another one takes its place. */
export type LogoEdit =
  { kind: 'keep' } | { kind: 'remove' } | { kind: 'set'; file: Blob; dataUrl: string };

/** The picture to show while the form is open. */
export function shownLogo(edit: LogoEdit, saved: string | null): string | null {
  if (edit.kind === 'set') return edit.dataUrl;
  return edit.kind === 'keep' ? saved : null;
}

/** Where this browser keeps the form of a company, or of a new one. */
export function companyDraftKey(company: Pick<Company, 'id'> | null): string {
  return `draft.company.${company?.id ?? 'new'}`;
}

export const companySchema = z.object({
  name: text('Enter the name of the company.'),
  description: optionalText,
}) satisfies z.ZodMiniType<Schemas['CompanyForm']>;

/** Makes what is sent out of the company as the server has it, or out of none. */
export type CompanyEdit = (saved: Company | null) => Schemas['CompanyForm'];

export function formOfCompany(company: Company | null): z.input<typeof companySchema> {
  return { name: company?.name ?? '', description: company?.description ?? '' };
}

/** The body of a call; a logo that stays is left out. */
export function companyBody(
  company: z.infer<typeof companySchema>,
  logo: LogoEdit,
): Schemas['CompanyForm'] {
  return {
    ...company,
    ...(logo.kind === 'keep' ? {} : { logo: logo.kind === 'set' ? logo.dataUrl : null }),
  };
}

/** The link of an invitation that the server cannot mail. */
export type InvitationLink = { email: string; link: string };

export const MEMBER_DRAFT = 'draft.member';

export const memberSchema = z.object({
  userName: text('Enter the full name.'),
  userEmail: mailbox('Enter an e-mail address.'),
  role: z.string(),
}) satisfies z.ZodMiniType<Schemas['MemberForm']>;

/** The owner adds people, and so does a member whose role is manager (specification 2, section 6). */
export function mayManage(
  company: Pick<Company, 'ownerId'>,
  members: readonly Pick<CompanyMember, 'userId' | 'role'>[],
  userId: string,
): boolean {
  return (
    company.ownerId === userId ||
    members.some((member) => member.userId === userId && member.role === 'manager')
  );
}

/** The id by which a person, or an open invitation, is removed. */
export function removalId(member: Pick<CompanyMember, 'id' | 'userId'>): string {
  return member.userId ?? member.id;
}

/** Initials of a name, for the place of a picture. */
export function memberInitials(displayName: string): string {
  const words = displayName.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => firstLetter(word ?? ''))
    .join('')
    .toUpperCase();
}
