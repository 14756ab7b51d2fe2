import { bodyOf, client, type Schemas } from '@/api/client';
import type { CompanyEdit } from '@/features/plans/company/model';

export const companyMutations = {
  create: (edit: CompanyEdit) => bodyOf(client.POST('/api/company', { body: edit(null) })),
  /**
   * Saves what `edit` makes of the company as it is now. The server wants the name with every edit, so that a rename
   * between the reading and the writing is still lost: a moment, and no longer the time that a form is open.
   */
  update: (id: string) => async (edit: CompanyEdit) => {
    const { data: saved } = await client.GET('/api/company');
    const body = edit(saved?.id === id ? saved : null);
    return bodyOf(client.PUT('/api/company/{id}', { params: { path: { id } }, body }));
  },
  remove: (id: string) => () =>
    bodyOf(client.DELETE('/api/company/{id}', { params: { path: { id } } })),
  addMember: (id: string) => (body: Schemas['MemberForm']) =>
    bodyOf(client.POST('/api/company/{id}/members', { params: { path: { id } }, body })),
  setRole:
    (id: string) =>
    ({ userId, role }: { userId: string; role: string }) =>
      bodyOf(
        client.PUT('/api/company/{id}/members/{userId}', {
          params: { path: { id, userId } },
          body: { role },
        }),
      ),
  handOver: (id: string) => (userId: string) =>
    bodyOf(client.PUT('/api/company/{id}/owner', { params: { path: { id } }, body: { userId } })),
  removeMember: (id: string) => (userId: string) =>
    client.DELETE('/api/company/{id}/members/{userId}', { params: { path: { id, userId } } }),
  acceptInvitation: (body: Schemas['InvitationName']) =>
    bodyOf(client.POST('/api/company/invitations/accept', { body })),
  declineInvitation: (body: Schemas['InvitationName']) =>
    client.POST('/api/company/invitations/decline', { body }),
};
