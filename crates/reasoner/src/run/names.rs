//! Names, facts and first states: the same for all engines that run circuits.

/// The functions of a `Game` that the field `machine` answers alone.
macro_rules! names_by_machine {
    () => {
        fn roles(&self) -> &[String] {
            &self.machine.roles
        }

        fn initial(&self) -> State {
            self.machine.initial()
        }

        fn model(&self) -> Option<&dyn ludex_game::Model> {
            Some(&self.machine)
        }

        fn move_name(&self, id: MoveId) -> String {
            self.machine.move_name(id)
        }

        fn find_move(&self, text: &str) -> Option<MoveId> {
            self.machine.find_move(text)
        }

        fn fact_name(&self, id: FactId) -> String {
            self.machine.fact_name(id)
        }

        fn find_fact(&self, text: &str) -> Option<FactId> {
            self.machine.find_fact(text)
        }

        fn facts(&self, state: &State) -> Vec<FactId> {
            let bits = self.machine.bits(state);
            (0..self.machine.fact_count()).filter(|&fact| bits[fact]).map(FactId::new).collect()
        }

        fn state_with(&self, facts: &[FactId]) -> State {
            let mut bits = vec![false; self.machine.fact_count()];
            for fact in facts {
                if let Some(bit) = bits.get_mut(fact.index()) {
                    *bit = true;
                }
            }
            self.machine.state(|fact| bits[fact])
        }
    };
}

pub(super) use names_by_machine;
