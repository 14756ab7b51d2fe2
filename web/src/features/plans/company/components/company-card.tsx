import { useMutation } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Card } from '@/components/ui/card';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { CompanyForm } from '@/features/plans/company/components/company-form';
import { CompanyLogo } from '@/features/plans/company/components/company-logo';
import { companyDraftKey, type Company } from '@/features/plans/company/model';
import { companyMutations } from '@/features/plans/company/mutations';
import { useHasDraft } from '@/hooks/use-draft';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOpener } from '@/hooks/use-opener';
import { formatDate } from '@/lib/format';

type CompanyCardProps = {
  company: Company;
  user: Pick<Schemas['User'], 'id'>;
  heading: RefObject<HTMLHeadingElement | null>;
  manages: boolean;
};

export function CompanyCard({ company, user, heading, manages }: CompanyCardProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const [editing, setEditing] = useState(useHasDraft(companyDraftKey(company)));
  const opener = useOpener(editing);
  const update = useMutation({
    mutationFn: companyMutations.update(company.id),
    onSuccess: () => {
      toast({ title: 'Company saved', description: 'Your team sees it like this.' });
      setEditing(false);
    },
    onError: (error) => fail(error, 'Failed to update company'),
  });
  return (
    <Card aria-label="Company" className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-start gap-4">
        <CompanyLogo logo={company.logo} />
        <div className="min-w-0 flex-1 basis-48">
          <h2
            ref={heading}
            tabIndex={-1}
            className="text-lg font-semibold tracking-tight wrap-anywhere"
          >
            <bdi>{company.name}</bdi>
          </h2>
          <p dir="auto" className="text-sm wrap-anywhere whitespace-pre-line text-soft">
            {company.description}
          </p>
          <p className="mt-1 text-xs text-muted">Since {formatDate(company.createdAt)}</p>
        </div>
        {manages && !editing && (
          <Button ref={opener} size="small" onClick={() => setEditing(true)}>
            Edit Company
          </Button>
        )}
      </div>
      {/* Whoever loses the right meanwhile keeps what they typed, and is told when they save it. */}
      {editing && (
        <>
          <CompanyForm
            company={company}
            save={update}
            onCancel={() => {
              update.reset();
              setEditing(false);
            }}
          />
          {company.ownerId === user.id && (
            <DeleteCompany company={company} focusOnConfirm={heading} />
          )}
        </>
      )}
    </Card>
  );
}

type DeleteCompanyProps = {
  company: Company;
  focusOnConfirm: RefObject<HTMLElement | null>;
};

function DeleteCompany({ company, focusOnConfirm }: DeleteCompanyProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: companyMutations.remove(company.id),
    onSuccess: () =>
      toast({ title: 'Company deleted', description: 'The accounts of its members stay.' }),
    onError: (error) => fail(error, 'Failed to delete company'),
  });
  return (
    <div className="border-t pt-4">
      <ConfirmDialog
        trigger={
          <Button look="danger" size="small" disabled={remove.isPending}>
            Delete Company
          </Button>
        }
        title={`Delete ${company.name}?`}
        description="What was taught in it, its parts, price lists, cross-references, grades and evaluations are deleted with it, including those that you had before. Its members lose the plan that they have through it, and open invitations end. Their accounts and garages stay."
        confirmLabel="Delete Company"
        onConfirm={() => remove.mutateAsync()}
        focusOnConfirm={focusOnConfirm}
      />
    </div>
  );
}
