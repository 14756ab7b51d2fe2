import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { settingsQuery } from '@/api/settings';
import { LoadFailure } from '@/components/load-failure';
import { MailLink } from '@/components/mail-link';
import { LoadingBlock } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { LegalDocument } from '@/features/plans/legal/components/legal-document';
import type { LegalParties, LegalSection } from '@/features/plans/legal/text';

type LegalPageProps = {
  title: string;
  date: string;
  sectionsFor: (parties: LegalParties) => LegalSection[];
  /** The other of the two texts. */
  other: { to: string; label: string };
};

/** A legal text as a page. It waits for the company that it is about: another one's is no use. */
export function LegalPage({ title, date, sectionsFor, other }: LegalPageProps) {
  const settings = useQuery(settingsQuery());
  return (
    <div className="page grid max-w-3xl gap-8">
      <title>{`Partsight - ${title}`}</title>
      {settings.isPending && <LoadingBlock label={`Loading: ${title}`} rows={6} />}
      {settings.isLoadingError && (
        <LoadFailure
          what="This text"
          error={settings.error}
          onRetry={() => void settings.refetch()}
        />
      )}
      {settings.data !== undefined && (
        <>
          <LegalDocument
            as="page"
            title={title}
            date={date}
            sections={sectionsFor(settings.data)}
          />
          <p className="border-t pt-5 text-sm text-muted">
            Write to <MailLink address={settings.data.supportEmail} />, use the{' '}
            <TextLink to={paths.contact}>contact form</TextLink>, or read the{' '}
            <TextLink to={other.to}>{other.label}</TextLink>.
          </p>
        </>
      )}
    </div>
  );
}

type TextLinkProps = { to: string; children: string };

function TextLink({ to, children }: TextLinkProps) {
  return (
    <Link to={to} className="font-medium text-accent underline underline-offset-4">
      {children}
    </Link>
  );
}
