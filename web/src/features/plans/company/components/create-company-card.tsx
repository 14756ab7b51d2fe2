import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { CompanyForm } from '@/features/plans/company/components/company-form';
import { companyDraftKey } from '@/features/plans/company/model';
import { companyMutations } from '@/features/plans/company/mutations';
import { companyQueries } from '@/features/plans/company/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOpener } from '@/hooks/use-opener';

type CreateCompanyCardProps = {
  /** Called before the card makes way for the company. */
  onCreated: () => void;
};

export function CreateCompanyCard({ onCreated }: CreateCompanyCardProps) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const fail = useFailureToast();
  const [open, setOpen] = useState(useHasDraft(companyDraftKey(null)));
  const opener = useOpener(open);
  const create = useMutation({
    mutationFn: companyMutations.create,
    onSuccess: (company) => {
      toast({
        title: 'Company created',
        description: `${company.name} is yours. Add your team next.`,
      });
      onCreated();
      // The form goes now, and not when the company is read anew: sent again, it would be refused.
      queryClient.setQueryData(companyQueries.own().queryKey, company);
    },
    onError: (error) => fail(error, 'Failed to create company'),
  });
  return (
    <SettingsCard
      title="Company"
      description="Name your shop and add the people who work there: they share your Business plan."
      action={
        !open && (
          <Button ref={opener} look="primary" size="small" onClick={() => setOpen(true)}>
            Create Company
          </Button>
        )
      }
    >
      {open && (
        <CompanyForm
          company={null}
          save={create}
          onCancel={() => {
            create.reset();
            setOpen(false);
          }}
        />
      )}
    </SettingsCard>
  );
}
