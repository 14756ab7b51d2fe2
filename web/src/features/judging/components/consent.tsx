import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { ManagersOnly } from '@/components/managers-only';
import { useToast } from '@/components/ui/use-toast';
import { ConsentSwitch } from '@/features/judging/components/consent-switch';
import { judgeMutations } from '@/features/judging/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';

type ConsentProps = { judge: Schemas['Judge'] };

const ALLOWED = {
  title: 'Allowed',
  description: 'Unsure photos get a second opinion from now on.',
};
const STOPPED = {
  title: 'Stopped',
  description: 'What it said of earlier photos is not used again.',
};

/** What a yes says that leaves everything as it is for the viewer. */
const UNCHANGED = {
  shop: 'Your own scans stay out of it: you have refused it for them.',
  own: 'Nothing is sent as long as your company does not allow it.',
};

/** Who has allowed a second opinion, and the switches of what the viewer decides. */
export function Consent({ judge }: ConsentProps) {
  return judge.allowedByCompany === null ? (
    <Decision
      label="Allow a second opinion"
      hint="Holds for your scans."
      judge={judge}
      allowed={judge.allowed}
      whose="shop"
    />
  ) : (
    <CompanyConsent judge={judge} allowedByCompany={judge.allowedByCompany} />
  );
}

type CompanyConsentProps = ConsentProps & { allowedByCompany: boolean };

function CompanyConsent({ judge, allowedByCompany }: CompanyConsentProps) {
  return (
    <>
      {judge.mayChange ? (
        <Decision
          label="Allow a second opinion in your company"
          hint="An offer to all members. Each can refuse it for their own scans."
          judge={judge}
          allowed={allowedByCompany}
          whose="shop"
        />
      ) : (
        <>
          <p className="text-sm text-soft">
            {allowedByCompany
              ? 'Your company allows it for its members.'
              : 'Your company does not allow it.'}
          </p>
          <ManagersOnly />
        </>
      )}
      <Decision
        label="For my own scans"
        hint="Your own refusal holds, whatever your company allows."
        judge={judge}
        allowed={!judge.refusedByYou}
        whose="own"
      />
    </>
  );
}

type DecisionProps = ConsentProps & {
  label: string;
  hint: string;
  allowed: boolean;
  /** Whether it holds for the company, or the viewer without one, or for the viewer in a company. */
  whose: 'shop' | 'own';
};

function Decision({ label, hint, judge, allowed, whose }: DecisionProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const decide = useMutation({
    mutationFn: whose === 'own' ? judgeMutations.decideForSelf : judgeMutations.decide,
    onSuccess: ({ allowed }, isAllowed) => {
      if (!isAllowed) toast(STOPPED);
      else toast(allowed ? ALLOWED : { title: 'Saved', description: UNCHANGED[whose] });
    },
    onError: (error) => fail(error, 'The setting could not be saved. Please try again.'),
  });
  // A yes to what the company does not allow lets nothing leave.
  const letsLeave = !judge.onThisMachine && (whose === 'shop' || judge.allowedByCompany !== false);
  return (
    <ConsentSwitch
      label={label}
      hint={hint}
      allowed={allowed}
      host={letsLeave ? judge.host : null}
      disabled={decide.isPending}
      onDecide={(next) => decide.mutate(next)}
    />
  );
}
