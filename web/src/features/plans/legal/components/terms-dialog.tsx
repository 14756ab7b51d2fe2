import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery } from '@/api/settings';
import { QueryState } from '@/components/query-state';
import { MailLink } from '@/components/mail-link';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useToast } from '@/components/ui/use-toast';
import { serverPaths } from '@/config/paths';
import { LegalDocument } from '@/features/plans/legal/components/legal-document';
import { legalMutations } from '@/features/plans/legal/mutations';
import { privacySections } from '@/features/plans/legal/privacy-text';
import { termsSections } from '@/features/plans/legal/terms-text';
import { ACCEPTANCE_DATES, type LegalParties } from '@/features/plans/legal/text';

type TermsDialogProps = { open: boolean };

/** Stands in the way until both texts are accepted; leaving the account is the other way out. */
export function TermsDialog({ open }: TermsDialogProps) {
  const toast = useToast();
  const settings = useQuery(settingsQuery());
  const [terms, setTerms] = useState(false);
  const [privacy, setPrivacy] = useState(false);
  const accept = useMutation({
    mutationFn: legalMutations.acceptTerms,
    onSuccess: () =>
      toast({
        title: 'Terms Accepted',
        description: 'Thank you for accepting our terms and privacy policy.',
      }),
    onError: () =>
      toast({
        title: 'Error',
        description: 'Failed to accept terms. Please try again.',
        tone: 'bad',
      }),
  });

  const confirm = () => {
    if (terms && privacy) {
      accept.mutate();
      return;
    }
    toast({
      title: 'Agreement Required',
      description: 'Please check both boxes to accept the terms and privacy policy.',
      tone: 'bad',
    });
  };

  return (
    <Dialog
      open={open}
      title="Terms and Privacy Policy"
      description="Please read both texts, then accept them to use Partsight."
      className="max-w-2xl"
      // What had the focus before, mostly the form that signed in, is gone.
      returnFocus={() => document.getElementById('main')}
      footer={
        <div className="grid w-full gap-3">
          <Agreement checked={terms} onChange={setTerms}>
            I have read and accept the Terms and Conditions
          </Agreement>
          <Agreement checked={privacy} onChange={setPrivacy}>
            I have read and accept the Privacy Policy
          </Agreement>
          <div className="flex flex-wrap justify-end gap-2">
            <Button asChild look="ghost">
              <a href={serverPaths.signOut}>Sign Out</a>
            </Button>
            <Button
              look="primary"
              disabled={accept.isPending || settings.data === undefined}
              onClick={confirm}
            >
              {accept.isPending ? 'Confirming...' : 'Confirm and Accept'}
            </Button>
          </div>
        </div>
      }
    >
      <div
        role="region"
        aria-label="Terms and privacy texts"
        // Scrolling by keyboard needs something to hold the focus.
        tabIndex={0}
        className="grid min-h-32 gap-8 overflow-y-auto rounded-md border bg-canvas p-4"
      >
        <QueryState query={settings} what="The texts" label="Loading the texts" />
        {settings.data !== undefined && <Texts parties={settings.data} />}
      </div>
    </Dialog>
  );
}

type TextsProps = { parties: LegalParties };

function Texts({ parties }: TextsProps) {
  return (
    <>
      <LegalDocument
        title="Terms and Conditions"
        date={`Effective ${ACCEPTANCE_DATES.terms}`}
        sections={termsSections(parties)}
      />
      <LegalDocument
        title="Privacy Policy"
        date={`Last updated ${ACCEPTANCE_DATES.privacy}`}
        sections={privacySections(parties)}
      />
      <section className="grid gap-1 text-sm text-soft">
        <h3 className="text-base font-semibold text-ink">Contact</h3>
        <p>
          Write to <MailLink address={parties.supportEmail} />.
        </p>
        <p>We typically respond within 24 hours</p>
      </section>
    </>
  );
}

type AgreementProps = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: string;
};

function Agreement({ checked, onChange, children }: AgreementProps) {
  return (
    <label className="flex min-h-8 items-center gap-3 text-sm">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-5 shrink-0 accent-accent"
      />
      {children}
    </label>
  );
}
