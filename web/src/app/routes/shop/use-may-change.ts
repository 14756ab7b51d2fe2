import { useQuery } from '@tanstack/react-query';
import { userQuery } from '@/api/user';
import { mayManage } from '@/features/plans/company/model';
import { companyQueries } from '@/features/plans/company/queries';

/**
 * Whether whoever is signed in may change what their shop shares: everybody without a company, and in one the owner
 * and managers. Undefined until that is known; the server has the last word.
 */
export function useMayChange(): boolean | undefined {
  const user = useQuery(userQuery());
  const company = useQuery({ ...companyQueries.own(), enabled: user.data != null });
  const members = useQuery({
    ...companyQueries.members(company.data?.id ?? ''),
    enabled: company.data != null,
  });
  // Better a refusal by the server than a tool that is missing because something else could not be read.
  if (company.isLoadingError || members.isLoadingError) return true;
  if (user.data == null || company.data === undefined) return undefined;
  if (company.data === null) return true;
  return members.data == null ? undefined : mayManage(company.data, members.data, user.data.id);
}
