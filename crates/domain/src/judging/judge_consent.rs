/// What has been said about sending somebody's photographs to the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsentToJudge {
    /// Their own word; `None` where they never said.
    pub own: Option<bool>,
    /// The word of the company that they are in, `None` without one; its inner `None` where it never said.
    pub company: Option<Option<bool>>,
}

impl ConsentToJudge {
    /// Whether photographs of theirs may be sent. `by_default` is what silence means on this server.
    ///
    /// A company's yes is an offer: whoever has refused for themselves is not sent along, whatever the company chose.
    /// Its no, and its silence, hold for all its members, since it pays.
    pub fn allows(self, by_default: bool) -> bool {
        // In a company, its word stands in the place of one's own; silence falls to the server's default.
        let offered = self.company.unwrap_or(self.own).unwrap_or(by_default);
        offered && !self.is_refused_by_self()
    }

    /// Whether they have refused for themselves.
    pub fn is_refused_by_self(self) -> bool {
        self.own == Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_ones_own_is_stronger_than_the_yes_of_a_company() {
        const YES: Option<bool> = Some(true);
        const NO: Option<bool> = Some(false);
        // Own word, the company's, and whether photographs may go where silence is a no, and where it is a yes.
        let cases = [
            (None, None, false, true),
            (YES, None, true, true),
            (NO, None, false, false),
            (None, Some(None), false, true),
            (None, Some(YES), true, true),
            (None, Some(NO), false, false),
            (YES, Some(None), false, true),
            (YES, Some(YES), true, true),
            (YES, Some(NO), false, false),
            (NO, Some(None), false, false),
            (NO, Some(YES), false, false),
            (NO, Some(NO), false, false),
        ];
        for (own, company, where_no, where_yes) in cases {
            let consent = ConsentToJudge { own, company };
            let allows = (consent.allows(false), consent.allows(true));
            assert_eq!(allows, (where_no, where_yes), "{consent:?}");
        }
    }
}
