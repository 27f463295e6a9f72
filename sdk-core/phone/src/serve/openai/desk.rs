//! The desk where questions are taken: one model on a thread of its own, and many who ask it.

use std::{
    collections::HashMap,
    io,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::SystemTime,
};

use exo_engine::{
    Engine, Error, Happened, JobId,
    chat::{ChatRequest, Event},
    text::Moment,
};

/// Takes questions for a model.
#[derive(Debug)]
pub(super) struct Desk {
    orders: Sender<Order>,
    tickets: AtomicU64,
}

enum Order {
    Ask(u64, Box<ChatRequest>, Sender<Told>),
    Cancel(u64),
}

/// What becomes of a question.
#[derive(Debug)]
pub(super) enum Told {
    /// It will be answered.
    Taken,
    /// A piece of the answer.
    Event(Event),
    /// There is no answer, or no more of it.
    Failed(Error),
    /// The client went away.
    HungUp,
    /// The desk closed.
    Closed,
}

/// A question that was asked. Dropping it takes it back: not a token more is computed for it.
#[derive(Debug)]
pub(super) struct Conversation {
    ticket: u64,
    orders: Sender<Order>,
    pub(super) told: Receiver<Told>,
    /// Whoever sees the client go says so here.
    pub(super) tell: Sender<Told>,
}

impl Desk {
    pub(super) fn open(engine: Engine) -> io::Result<Self> {
        let (orders, taken) = mpsc::channel();
        let work = move || Clerk { engine, jobs: HashMap::new(), taken }.work();
        thread::Builder::new().name("exo-desk".into()).spawn(work)?;
        Ok(Self { orders, tickets: AtomicU64::new(0) })
    }

    pub(super) fn ask(&self, request: ChatRequest) -> Conversation {
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = mpsc::channel();
        if self.orders.send(Order::Ask(ticket, Box::new(request), tell.clone())).is_err() {
            let _ = tell.send(Told::Closed);
        }
        Conversation { ticket, orders: self.orders.clone(), told, tell }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::Cancel(self.ticket));
    }
}

struct Clerk {
    engine: Engine,
    jobs: HashMap<JobId, (u64, Sender<Told>)>,
    taken: Receiver<Order>,
}

/// Whatever ends it, nobody is left waiting.
impl Drop for Clerk {
    fn drop(&mut self) {
        let waiting = self.taken.try_iter().filter_map(|order| match order {
            Order::Ask(_, _, tell) => Some(tell),
            Order::Cancel(_) => None,
        });
        for tell in waiting.chain(self.jobs.drain().map(|(_, (_, tell))| tell)) {
            let _ = tell.send(Told::Closed);
        }
    }
}

impl Clerk {
    fn work(mut self) {
        let mut happened = Vec::new();
        loop {
            if self.engine.is_idle() {
                let Ok(order) = self.taken.recv() else { return };
                self.obey(order);
            }
            while let Ok(order) = self.taken.try_recv() {
                self.obey(order);
            }
            let stepped = self.engine.step(&mut happened);
            for what in happened.drain(..) {
                self.tell(what);
            }
            if let Err(error) = stepped {
                // The device failed. Each question is still there, and none can be answered.
                for (job, (_, tell)) in self.jobs.drain() {
                    self.engine.cancel(job);
                    let _ = tell.send(Told::Failed(error.clone()));
                }
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Ask(ticket, request, tell) => match self.engine.submit(&request, now()) {
                Ok(job) => {
                    let _ = tell.send(Told::Taken);
                    self.jobs.insert(job, (ticket, tell));
                }
                Err(error) => {
                    let _ = tell.send(Told::Failed(error));
                }
            },
            Order::Cancel(ticket) => {
                let job = self.jobs.iter().find_map(|(job, (of, _))| (*of == ticket).then_some(*job));
                if let Some(job) = job {
                    self.jobs.remove(&job);
                    self.engine.cancel(job);
                }
            }
        }
    }

    fn tell(&mut self, happened: Happened) {
        let (job, told, is_last) = match happened {
            Happened::Prefill { .. } => return,
            Happened::Replied { job, event } => {
                let is_last = match &event {
                    Event::Said(said) => said.end.is_some(),
                    Event::ToolCalls { .. } => true,
                };
                (job, Told::Event(event), is_last)
            }
            Happened::Failed { job, error } => (job, Told::Failed(error), true),
        };
        if let Some((_, tell)) = self.jobs.get(&job) {
            let _ = tell.send(told);
        }
        if is_last {
            self.jobs.remove(&job);
        }
    }
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Moment::from_unix(since.as_secs().cast_signed())
}
