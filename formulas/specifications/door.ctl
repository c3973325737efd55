# A door that somebody calls: its four requirements contradict each other.
spec answered = AG (call -> AF open);
spec safe = AG (open -> ~moving);
spec busy = EG (call & moving) & EF open;
spec calls = AG (call -> EF open);
