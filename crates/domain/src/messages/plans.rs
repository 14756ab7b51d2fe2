//! Plans, payments, companies and messages to support.

messages! {
    PLANS;
    /// An order of the plan that costs nothing.
    BASIC_IS_FREE = "The Basic plan is free and needs no subscription. To leave a paid plan, please request its cancellation.";
    /// An order of a plan that there is not.
    PLAN_UNKNOWN = "There is no such plan. Please choose pro or business.";
    /// An order for an interval that there is not.
    INTERVAL_UNKNOWN = "Please choose to pay by the month or by the year.";
    /// An order where nothing is for sale.
    PAYMENTS_NOT_OFFERED = "Subscriptions are temporarily unavailable on this server. Please contact support or try again later.";
    /// The payment provider does not answer, or refuses.
    PAYMENT_PROVIDER_DOWN = "The payment service does not answer as it should. Please try again in a minute; nothing is charged twice.";
    /// A payment was declined, and the provider does not say why.
    PAYMENT_DECLINED = "The payment was declined. Please use another card, or ask your bank.";
    /// An event that is not from the payment provider, or too old.
    EVENT_REFUSED = "This event is not signed for this server, or its signature is more than five minutes old.";
    /// An order of what somebody has.
    SUBSCRIPTION_EXISTS = "You already have this plan.";
    /// A change of a subscription that ends.
    SUBSCRIPTION_ENDING = "Your subscription is set to end with the billing period. Please reactivate it before you change it.";
    /// A change of a subscription whose renewal is not paid.
    SUBSCRIPTION_UNPAID = "The last payment of your subscription did not succeed. Please pay for your present plan before you change it.";
    /// A change without a subscription.
    SUBSCRIPTION_NONE = "You have no active subscription to change. Please choose a plan on the pricing page.";
    /// A reactivation of a subscription that goes on.
    SUBSCRIPTION_NOT_ENDING = "Your subscription is not set to end, so there is nothing to reactivate.";
    /// Another change of the same subscription runs for long.
    SUBSCRIPTION_CHANGING = "Your subscription is being changed at this moment. Please wait a minute and try again.";
    /// An account that pays, on a server that cannot end that.
    SUBSCRIPTION_KEEPS_ACCOUNT = "Your subscription cannot be ended from here at the moment, so your account was kept. Please contact support.";
    /// An order that waits for its payment.
    PAYMENT_TO_CONFIRM = "Please confirm the payment. Your plan changes once it is made.";
    /// An order that is done.
    PLAN_CHANGED = "Your plan has been changed.";
    /// A subscription that goes on after all.
    SUBSCRIPTION_REACTIVATED = "Your subscription goes on and is renewed at the end of the billing period.";
    /// A cancellation without a subscription.
    CANCELLATION_NEEDS_SUBSCRIPTION = "You have no subscription that could be cancelled.";
    /// A cancellation of a subscription that ends.
    CANCELLATION_DONE = "Your subscription is already set to end with the billing period.";
    /// A cancellation that was approved or withdrawn.
    CANCELLATION_CLOSED = "This cancellation request has already been dealt with.";
    /// A cancellation that support will see to.
    CANCELLATION_REQUESTED = "Your cancellation request has been sent. It is processed within 24 hours; you keep your plan until the end of the billing period, and a confirmation e-mail follows.";
    /// A cancellation request that is taken back where there is none, or somebody has seen to it.
    CANCELLATION_NONE_OPEN = "There is no open cancellation request. If your subscription is set to end, you can reactivate it.";
    /// A cancellation request id that does not exist.
    CANCELLATION_NOT_FOUND = "There is no such cancellation request.";
    /// More scans for a plan that has a limit.
    SCAN_RESET_NEEDS_PLAN = "Unlimited scans are part of the Pro and Business plans. Please upgrade first.";
    /// A company without the plan for it.
    COMPANY_PLAN_NEEDED = "A company with team members is part of the Business plan. Please upgrade to Business to create one.";
    /// A new member while the owner's plan does not include a company.
    COMPANY_PLAN_LAPSED = "The Business plan of this company has ended. Until its owner renews it, nobody can be added.";
    /// An invitation by somebody whose address may be somebody else's.
    COMPANY_ADDRESS_UNPROVED = "Please confirm your e-mail address before you invite somebody: the invitation comes in its name.";
    /// A company id that does not exist or belongs to somebody else.
    COMPANY_NOT_FOUND = "This company does not exist, or you are not in it.";
    /// A second company.
    COMPANY_EXISTS = "You are in a company already. Please leave it before you create another one.";
    /// A company without a name.
    COMPANY_NAME_MISSING = "Please enter the company name.";
    /// A member who wants to do what managers do.
    COMPANY_MANAGERS_ONLY = "Only the owner or a manager of the company can do this.";
    /// An upload whose sender left the company, joined one, or got another role before it had arrived.
    COMPANY_CHANGED_MEANWHILE = "Your company, or your role in it, changed during the upload. Please send it again.";
    /// Somebody other than the owner who wants to delete a company.
    COMPANY_OWNER_ONLY = "Only the owner of the company can do this.";
    /// As many members and invitations as there may be.
    COMPANY_FULL = "A company can have 200 members and open invitations. Please remove one first.";
    /// Somebody who comes to a company while its owner's account is being deleted.
    COMPANY_CLOSING = "The account of the company's owner or new owner is being deleted. If it is kept after all, please try again in two minutes.";
    /// An account that owns a company with others in it cannot be deleted.
    COMPANY_OWNER_STAYS = "You own a company that has other members. Please make one of them the owner, remove them, or delete the company, on the page Company and Team.";
    /// A logo that is no picture of a kind that we take.
    LOGO_NOT_AN_IMAGE = "Please select an image file.";
    /// A logo of too many bytes.
    LOGO_TOO_LARGE = "Please select an image smaller than 5MB.";
    /// A logo of too many pixels.
    LOGO_TOO_MANY_PIXELS = "Please select an image of at most 16 megapixels.";
    /// A logo that ends early or cannot be decoded.
    LOGO_DAMAGED = "This image file is damaged. Please select another one.";
    /// A new member without an address.
    MEMBER_EMAIL_MISSING = "Please enter the person's e-mail address.";
    /// A new member without a name.
    MEMBER_NAME_MISSING = "Please enter the full name.";
    /// A member id that is not one of the company.
    MEMBER_NOT_FOUND = "This person is not in the company.";
    /// Somebody who adds themselves.
    MEMBER_SELF = "You are in this company already.";
    /// Somebody who is in the company already.
    MEMBER_EXISTS = "This person is in the company already.";
    /// Somebody whose invitation is open.
    MEMBER_INVITED = "This person is invited already. To send another invitation, remove this one first.";
    /// Somebody who has said no to the same company.
    MEMBER_DECLINED = "This person declined an invitation of this company. You can ask again 30 days after that.";
    /// The owner cannot be removed, nor be given another role.
    MEMBER_OWNER = "The owner stays a manager of the company and cannot be removed.";
    /// A company handed to somebody who does not pay for one.
    COMPANY_NEW_OWNER_PLAN = "The new owner needs the Business plan of their own, because the owner's plan holds for the whole company. Please ask them to upgrade first.";
    /// A company handed to its owner.
    COMPANY_OWNED_ALREADY = "This person owns the company already.";
    /// An invitation that was used, withdrawn, is too old, or was never sent.
    INVITATION_NOT_VALID = "This invitation is no longer valid. Please ask for a new one.";
    /// An invitation of somebody who is in a company.
    INVITATION_ELSEWHERE = "You are in a company already. Please leave it before you join another one.";
    /// A message to support without name, address or text.
    CONTACT_FIELDS_MISSING = "Name, email, and message are required.";
}
