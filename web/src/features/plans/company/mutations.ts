import { bodyOf, client, type Schemas } from '@/api/client';

export const companyMutations = {
  create: (body: Schemas['CompanyForm']) => bodyOf(client.POST('/api/company', { body })),
  update: (id: string) => (body: Schemas['CompanyForm']) =>
    bodyOf(client.PUT('/api/company/{id}', { params: { path: { id } }, body })),
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
