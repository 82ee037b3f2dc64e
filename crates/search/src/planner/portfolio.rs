//! The portfolio: several methods share the time, on one or more threads.
//!
//! # How
//! Each thread takes the method that has had least, lets it work for a slice, and puts it back. Slices
//! grow with the time that a method has had. What a method has had is measured in seconds, or in nodes
//! where the limit is a number of nodes, so that with one thread the same number gives the same result.
//! A method that finds a better plan is charged half for that slice.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_game::{Failure, Goal};

use super::best_first::BestFirst;
use super::breadth_first::BreadthFirst;
use super::method::{Method, Slice, Status};
use super::move_sets::SetsOfMoves;
use super::nrpa::Nrpa;
use super::problem::Problem;
use super::record::{Plan, Record};
use super::sat::Sat;
use crate::budget::{Budget, Stop};

/// The shortest and the longest slice.
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_millis(500);

/// The same in nodes.
const FEWEST: u64 = 2_000;
const MOST: u64 = 200_000;

/// Seed of the methods that draw random numbers.
const SEED: u64 = 1;

/// How often the progress is reported.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// What a planner may use.
#[derive(Clone, Debug)]
pub struct PlannerLimits {
    /// When to end.
    pub deadline: Option<Instant>,
    /// Nodes of all methods together.
    pub nodes: Option<u64>,
    /// Bytes.
    pub memory: usize,
    /// Threads that search.
    pub threads: usize,
    /// Ends the search at once.
    pub stop: Stop,
}

impl Default for PlannerLimits {
    fn default() -> Self {
        Self { deadline: None, nodes: None, memory: Budget::DEFAULT_MEMORY, threads: 1, stop: Stop::new() }
    }
}

/// What is known while a planner works.
#[derive(Clone, Debug)]
pub struct PlannerProgress {
    /// The methods at work.
    pub methods: Vec<&'static str>,
    /// Nodes so far.
    pub nodes: u64,
    /// The best plan so far: its worth and its length.
    pub best: Option<(u8, usize)>,
    /// No plan is worth more.
    pub bound: u8,
}

/// What a method has done.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodReport {
    /// Its name.
    pub name: &'static str,
    /// Its nodes.
    pub nodes: u64,
    /// Time at work.
    pub time: Duration,
    /// Why it could not go on, if it could not.
    pub gave_up: Option<String>,
}

impl MethodReport {
    fn new(name: &'static str) -> Self {
        Self { name, nodes: 0, time: Duration::ZERO, gave_up: None }
    }
}

/// What a planner has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The best plan; none if none was found.
    pub plan: Option<Plan>,
    /// No plan is worth more.
    pub bound: u8,
    /// Whether it is proved that there is no better plan; without a plan, that there is none at all.
    pub optimal: bool,
    /// The method that proved the bound; none if the model shows it.
    pub proof: Option<&'static str>,
    /// Nodes of all methods: states; a decision of the SAT solver counts as 16.
    pub nodes: u64,
    /// What the methods did.
    pub methods: Vec<MethodReport>,
}

/// A planner at work on a problem: it can go on where it stopped.
pub struct Planner {
    problem: Problem,
    record: Record,
    jobs: Vec<Job>,
    reports: Vec<MethodReport>,
}

/// A method that waits for its turn.
struct Job {
    method: Box<dyn Method>,
    /// Its place among the reports.
    number: usize,
    /// What it has had: microseconds, or nodes.
    had: u64,
}

/// What the threads share.
struct Queue {
    waiting: Vec<Job>,
    at_work: Vec<usize>,
    reports: Vec<MethodReport>,
}

impl Planner {
    /// A planner for a problem.
    pub fn new(problem: Problem) -> Result<Self, Failure> {
        let record = Record::new(problem.bound);
        let view = problem.game.view(&problem.start)?;
        let mut jobs: Vec<Box<dyn Method>> = Vec::new();
        if view.terminal {
            let goals = problem.game.goals(&problem.start)?;
            let score = goals.first().and_then(Goal::value).unwrap_or(0);
            record.offer(&problem, Plan { moves: Vec::new(), score, method: "none" })?;
            record.settle("none");
        } else {
            jobs = methods(&problem);
        }
        let reports = jobs.iter().map(|method| MethodReport::new(method.name())).collect();
        let jobs = jobs.into_iter().enumerate().map(|(number, method)| Job { method, number, had: 0 });
        Ok(Self { problem, record, jobs: jobs.collect(), reports })
    }

    /// A planner that begins with a plan, where no plan is worth more than a bound.
    pub fn with_plan(problem: Problem, plan: Plan, bound: u8) -> Result<Self, Failure> {
        let planner = Self::new(Problem { bound: problem.bound.min(bound), ..problem })?;
        planner.record.offer(&planner.problem, plan)?;
        Ok(planner)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Searches until the limits are reached or nothing is left to find. Calls `report` now and then.
    pub fn run(
        &mut self,
        limits: &PlannerLimits,
        mut report: impl FnMut(&PlannerProgress),
    ) -> Result<Solution, Failure> {
        let already = self.record.nodes();
        let jobs = std::mem::take(&mut self.jobs);
        let reports = std::mem::take(&mut self.reports);
        let shared = Shared {
            problem: &self.problem,
            record: &self.record,
            limits,
            end: limits.nodes.map(|nodes| already + nodes),
            // All methods of a game share the memory.
            memory: limits.memory / jobs.len().max(1),
            queue: Mutex::new(Queue { waiting: jobs, at_work: Vec::new(), reports }),
            changed: Condvar::new(),
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..limits.threads.max(1)).map(|_| scope.spawn(|| shared.work())).collect();
            let mut queue = shared.lock();
            while !shared.is_over(&queue) {
                report(&shared.progress(&queue));
                let waited = shared.changed.wait_timeout(queue, REPORT_EVERY);
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            drop(queue);
            for thread in threads {
                let _ = thread.join();
            }
        });
        let queue = shared.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.jobs, self.reports) = (queue.waiting, queue.reports);
        self.jobs.sort_by_key(|job| job.number);
        Ok(self.solution())
    }

    /// What is known so far.
    pub fn solution(&self) -> Solution {
        let (bound, proof) = self.record.bound();
        Solution {
            plan: self.record.best(),
            bound,
            optimal: self.record.is_settled(),
            proof,
            nodes: self.record.nodes(),
            methods: self.reports.clone(),
        }
    }

    /// Whether it is proved that there is no better plan.
    pub fn is_settled(&self) -> bool {
        self.record.is_settled()
    }

    /// Whether another call of [`run`](Self::run) can find nothing more.
    pub fn is_finished(&self) -> bool {
        self.jobs.is_empty() || self.record.is_settled()
    }
}

/// The methods for a problem.
fn methods(problem: &Problem) -> Vec<Box<dyn Method>> {
    let mut methods: Vec<Box<dyn Method>> = vec![Box::new(BreadthFirst::new(problem))];
    let searches = [BestFirst::near(problem), BestFirst::relaxed(problem)];
    methods.extend(searches.into_iter().flatten().map(|search| Box::new(search) as Box<dyn Method>));
    methods.extend(SetsOfMoves::new(problem).map(|sets| Box::new(sets) as Box<dyn Method>));
    methods.extend(Sat::new(problem).map(|sat| Box::new(sat) as Box<dyn Method>));
    methods.push(Box::new(Nrpa::new(SEED)));
    methods
}

/// What the threads of one run share.
struct Shared<'a> {
    problem: &'a Problem,
    record: &'a Record,
    limits: &'a PlannerLimits,
    /// Nodes at which to end.
    end: Option<u64>,
    memory: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a limit is reached, or nothing is left to find or to do.
    fn is_over(&self, queue: &Queue) -> bool {
        self.record.is_settled()
            || self.limits.stop.is_set()
            || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.end.is_some_and(|end| self.record.nodes() >= end)
            || queue.waiting.is_empty() && queue.at_work.is_empty()
    }

    fn progress(&self, queue: &Queue) -> PlannerProgress {
        PlannerProgress {
            methods: queue.at_work.iter().map(|&number| queue.reports[number].name).collect(),
            nodes: self.record.nodes(),
            best: self.record.best().map(|plan| (plan.score, plan.moves.len())),
            bound: self.record.bound().0,
        }
    }

    /// A thread: slices of methods until the end.
    fn work(&self) {
        loop {
            let mut queue = self.lock();
            let next = loop {
                if self.is_over(&queue) {
                    self.changed.notify_all();
                    return;
                }
                let least = (0..queue.waiting.len()).min_by_key(|&at| {
                    let job = &queue.waiting[at];
                    (job.had, job.number)
                });
                if let Some(least) = least {
                    break least;
                }
                let waited = self.changed.wait_timeout(queue, REPORT_EVERY);
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            };
            let mut job = queue.waiting.swap_remove(next);
            queue.at_work.push(job.number);
            drop(queue);
            let (had, nodes, time, gave_up) = self.slice(&mut job);
            let mut queue = self.lock();
            queue.at_work.retain(|&number| number != job.number);
            let report = &mut queue.reports[job.number];
            report.nodes += nodes;
            report.time += time;
            job.had += had;
            match gave_up {
                Some(Some(reason)) => report.gave_up = Some(reason),
                Some(None) => {}
                None => queue.waiting.push(job),
            }
            self.changed.notify_all();
        }
    }

    /// Lets a method work. Gives what it has had, its nodes and its time; whether it is done, and if it
    /// gave up, why.
    fn slice(&self, job: &mut Job) -> (u64, u64, Duration, Option<Option<String>>) {
        let begun = Instant::now();
        let score_before = self.record.score();
        let (until, nodes) = match self.end {
            Some(end) => {
                let left = end.saturating_sub(self.record.nodes());
                (self.limits.deadline, (job.had / 4).clamp(FEWEST, MOST).min(left))
            }
            None => {
                let time = Duration::from_micros(job.had / 4).clamp(SHORTEST, LONGEST);
                let until = begun + time;
                (Some(self.limits.deadline.map_or(until, |deadline| until.min(deadline))), u64::MAX)
            }
        };
        let slice = Slice {
            problem: self.problem,
            record: self.record,
            until,
            nodes,
            memory: self.memory,
            stop: &self.limits.stop,
            taken: Cell::new(0),
        };
        let result = catch_unwind(AssertUnwindSafe(|| job.method.work(&slice)));
        let gave_up = match result {
            Ok(Ok(Status::Working)) => None,
            Ok(Ok(Status::Done)) => Some(None),
            Ok(Ok(Status::GaveUp(reason))) => Some(Some(reason)),
            Ok(Err(failure)) => Some(Some(failure.to_string())),
            Err(_) => Some(Some("it panicked".to_owned())),
        };
        let (nodes, time) = (slice.taken.get(), begun.elapsed());
        let had = match self.end {
            Some(_) => nodes,
            None => u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        };
        let had = if self.record.score() > score_before { had / 2 } else { had };
        (had.max(1), nodes, time, gave_up)
    }
}
